import { WorkspaceService, WorkspaceModule } from '@app/workspace';
import { AuthModule, SCOPES, TokensService } from '@app/auth';
import { openServices } from './services.js';
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

/** An account with an agent, a number and a trunk, created from a workspace file as operators do. */
export async function createAccount(stack: Stack, plan: AccountPlan): Promise<TestAccount> {
  const variables = {
    DATABASE_URL: stack.database.url,
    QUEUE_URL: stack.queueUrl,
    SECRET_KEY: stack.secretKey,
    DATABASE_POOL: '2',
  };
  const services = await openServices(variables, [WorkspaceModule, AuthModule]);
  try {
    const file = JSON.stringify(workspaceOf(plan));
    const [account] = (await services.get(WorkspaceService).apply(file, 'workspace.yaml')).accounts;
    const [agent, number, trunk] = [account?.agents[0], account?.numbers[0], account?.trunks[0]];
    if (!account || !agent || !number || !trunk) throw new Error('The workspace was not applied.');
    const command = { accountId: account.id, name: 'test', scopes: SCOPES };
    const { token } = await services.get(TokensService).issue(command);
    return {
      accountId: account.id,
      agentId: agent.id,
      numberId: number.id,
      trunkId: trunk.id,
      token,
      webhookSecret: account.webhook_secret ?? '',
    };
  } finally {
    await services.close();
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
