import { Pool } from 'pg';
import { aToken } from './factories.js';
import type { Stack } from './stack.js';

export interface TestAccount {
  accountId: number;
  agentId: number;
  numberId: number;
  trunkId: number;
  token: string;
  webhookSecret: string;
}

export interface AccountPlan {
  name: string;
  webhookUrl?: string;
  concurrentCalls?: number;
  callsPerSecond?: number;
  limits?: Record<string, unknown>;
  /** Trunk instead of loopback, or in addition to it. */
  trunk?: Record<string, unknown>;
  /** Numbers in addition to `main`, which the agent answers. */
  numbers?: object[];
  agent?: Record<string, unknown>;
}

interface AppliedRecord {
  id: number;
}

/** What `apply --json` prints. */
interface AppliedFile {
  accounts: (AppliedRecord & {
    webhook_secret?: string;
    agents: AppliedRecord[];
    numbers: AppliedRecord[];
    trunks: AppliedRecord[];
  })[];
}

/** An account with an agent, a number and a trunk, created from a workspace file as operators do. */
export async function createAccount(stack: Stack, plan: AccountPlan): Promise<TestAccount> {
  const report = await stack.command(['apply', '-f', '-', '--json'], JSON.stringify(workspaceOf(plan)));
  const [account] = (JSON.parse(report) as AppliedFile).accounts;
  const [agent, number, trunk] = [account?.agents[0], account?.numbers[0], account?.trunks[0]];
  if (!account || !agent || !number || !trunk) throw new Error('The workspace was not applied.');
  return {
    accountId: account.id,
    agentId: agent.id,
    numberId: number.id,
    trunkId: trunk.id,
    token: await tokenOf(stack, account.id),
    webhookSecret: account.webhook_secret ?? '',
  };
}

async function tokenOf(stack: Stack, accountId: number): Promise<string> {
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  try {
    return await aToken(pool, accountId);
  } finally {
    await pool.end();
  }
}

/** JSON is YAML. */
function workspaceOf(plan: AccountPlan): object {
  const webhook = plan.webhookUrl ? { url: plan.webhookUrl, method: 'POST' } : undefined;
  return {
    accounts: [
      {
        name: plan.name,
        limits: {
          concurrent_calls: plan.concurrentCalls ?? 50,
          calls_per_second: plan.callsPerSecond ?? 100,
          ...plan.limits,
        },
        numbers: [{ name: 'main', e164: '+15550001111', agent: 'Receptionist' }, ...(plan.numbers ?? [])],
        trunks: [{ name: 'carrier', host: '127.0.0.1', port: 5060, transport: 'udp', ...plan.trunk }],
        agents: [
          {
            name: 'Receptionist',
            provider: 'sandbox',
            instructions: 'You answer for ACME.',
            greeting: 'Hello, this is ACME.',
            ...(webhook ? { call_status_webhook: webhook, post_call_webhook: webhook } : {}),
            ...plan.agent,
          },
        ],
      },
    ],
  };
}
