import { Pool } from 'pg';
import { aToken, anAccount } from './factories.js';
import type { Stack } from './stack.js';

export interface TestAccount {
  accountId: number;
  agentId: number;
  numberId: number;
  trunkId: number;
  token: string;
  webhookSecret: string;
}

/** The fields of a number, and the name of its agent. */
type NumberPlan = { agent?: string } & Record<string, unknown>;

export interface AccountPlan {
  name: string;
  webhookUrl?: string;
  concurrentCalls?: number;
  callsPerSecond?: number;
  limits?: Record<string, unknown>;
  /** Trunk instead of loopback, or in addition to it. */
  trunk?: Record<string, unknown>;
  /** Numbers in addition to `main`, which the agent answers. */
  numbers?: NumberPlan[];
  agent?: Record<string, unknown>;
}

interface PlannedAccount {
  name: string;
  limits: Record<string, unknown>;
  numbers: NumberPlan[];
  trunks: object[];
  agents: ({ name: string } & Record<string, unknown>)[];
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

/** Requests with a token take milliseconds; a command takes two seconds of processor time to load its modules. */
interface RunningApi {
  baseUrl: string;
  database: { url: string };
}

/** An account with an agent, a number and a trunk, created over the API. The account itself and its token are rows. */
export async function createAccount({ baseUrl, database }: RunningApi, plan: AccountPlan): Promise<TestAccount> {
  const { name, limits, numbers, trunks, agents } = accountOf(plan);
  const [accountId, token] = await accountAndToken(database.url, { name, ...limits });
  const make = (path: string, body: object = {}) => created(`${baseUrl}/api/v1/${path}`, token, body);
  const agentIds = new Map<string, number>();
  for (const agent of agents) agentIds.set(agent.name, (await make('agents', agent)).id);
  const numberIds: number[] = [];
  for (const { agent = null, ...number } of numbers)
    numberIds.push((await make('numbers', { ...number, agent_id: agent && agentIds.get(agent) })).id);
  const trunkIds: number[] = [];
  for (const trunk of trunks) trunkIds.push((await make('trunks', trunk)).id);
  const { secret = '' } = await make('webhook-secrets/rotate');
  return {
    accountId,
    agentId: [...agentIds.values()][0]!,
    numberId: numberIds[0]!,
    trunkId: trunkIds[0]!,
    token,
    webhookSecret: secret,
  };
}

/** As an operator creates it. The API refuses a trunk that leads inside. */
export async function createAccountByFile(stack: Stack, plan: AccountPlan): Promise<TestAccount> {
  const [account] = await applyPlans(stack, [plan]);
  if (!account) throw new Error('The workspace was not applied.');
  return toTestAccount(account, await withPool(stack.database.url, (pool) => aToken(pool, account.id)));
}

/** No request creates an account. */
const accountAndToken = (databaseUrl: string, row: Record<string, unknown>): Promise<[number, string]> =>
  withPool(databaseUrl, async (pool) => {
    const accountId = await anAccount(pool, row);
    return [accountId, await aToken(pool, accountId)];
  });

async function withPool<T>(connectionString: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new Pool({ connectionString, max: 1 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** @throws with the response, if nothing was created */
async function created(url: string, token: string, body: object): Promise<{ id: number; secret?: string }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: { id: number; secret?: string } }).data;
}

function accountOf(plan: AccountPlan): PlannedAccount {
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
