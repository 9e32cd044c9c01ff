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

/** A new account as `apply --json` prints it. */
export interface AppliedAccount {
  id: number;
  webhook_secret: string;
  numbers: { id: number }[];
  trunks: { id: number }[];
  agents: { id: number }[];
}

/** Creates accounts from a workspace file, as operators do. JSON is YAML. */
export async function applyPlans(stack: Stack, plans: readonly AccountPlan[]): Promise<AppliedAccount[]> {
  const file = JSON.stringify({ accounts: plans.map(accountOf) });
  return (JSON.parse(await stack.command(['apply', '--file', '-', '--json'], file)) as WorkspaceReport).accounts;
}

interface WorkspaceReport {
  accounts: AppliedAccount[];
}

/** The first records of the account, and a token for it. */
export function toTestAccount(
  { id, agents, numbers, trunks, webhook_secret }: AppliedAccount,
  token: string,
): TestAccount {
  const [agent, number, trunk] = [agents[0], numbers[0], trunks[0]];
  if (!agent || !number || !trunk) throw new Error('The account has no agent, number or trunk.');
  return {
    accountId: id,
    agentId: agent.id,
    numberId: number.id,
    trunkId: trunk.id,
    token,
    webhookSecret: webhook_secret,
  };
}

/** An account with an agent, a number and a trunk. */
export async function createAccount(stack: Stack, plan: AccountPlan): Promise<TestAccount> {
  const [account] = await applyPlans(stack, [plan]);
  if (!account) throw new Error('The workspace was not applied.');
  return toTestAccount(account, await tokenOf(stack, account.id));
}

async function tokenOf(stack: Stack, accountId: number): Promise<string> {
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  try {
    return await aToken(pool, accountId);
  } finally {
    await pool.end();
  }
}

function accountOf(plan: AccountPlan): object {
  const webhook = plan.webhookUrl ? { url: plan.webhookUrl, method: 'POST' } : undefined;
  return {
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
  };
}
