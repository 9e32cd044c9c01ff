import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { v7 as newId } from 'uuid';
import { SCOPES } from './scopes.js';

type Sql = Pick<Pool | PoolClient, 'query'>;

/** An account with every resource that a call needs. */
export interface Workspace {
  accountId: number;
  agentId: number;
  numberId: number;
  trunkId: number;
  token: string;
}

let count = 0;

async function insert(pool: Sql, table: string, row: Record<string, unknown>): Promise<number> {
  const columns = Object.keys(row);
  const places = columns.map((_column, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) RETURNING id`;
  const result = await pool.query<{ id: number }>(text, Object.values(row));
  const id = result.rows[0]?.id;
  if (id === undefined) throw new Error(`No row was inserted into ${table}.`);
  return id;
}

/** Without any records of its own. */
export const anAccount = (pool: Pool, row: Record<string, unknown> = {}): Promise<number> =>
  // Test files share a database, and names of accounts are unique.
  insert(pool, 'accounts', { name: `account-${newId()}`, ...row });

export async function aWorkspace(pool: Pool, account: Record<string, unknown> = {}): Promise<Workspace> {
  const accountId = await anAccount(pool, account);
  const [agentId, numberId, trunkId, token] = await Promise.all([
    anAgent(pool, accountId),
    aNumber(pool, accountId),
    aTrunk(pool, accountId),
    aToken(pool, accountId),
  ]);
  return { accountId, agentId, numberId, trunkId, token };
}

export const anAgent = (pool: Pool, accountId: number, row: Record<string, unknown> = {}): Promise<number> =>
  insert(pool, 'agents', { account_id: accountId, name: `agent-${(count += 1)}`, ...row });

export const aNumber = (pool: Pool, accountId: number, row: Record<string, unknown> = {}): Promise<number> => {
  count += 1;
  const e164 = `+1555${String(1_000_000 + count)}`;
  return insert(pool, 'phone_numbers', { account_id: accountId, name: `number-${count}`, e164, ...row });
};

export const aTrunk = (pool: Pool, accountId: number, row: Record<string, unknown> = {}): Promise<number> =>
  insert(pool, 'sip_trunks', { account_id: accountId, name: `trunk-${(count += 1)}`, host: '127.0.0.1', ...row });

/** Without tools. */
export const anMcpServer = (
  pool: Pool,
  { accountId, agentId }: Pick<Workspace, 'accountId' | 'agentId'>,
  row: { name: string; url: string },
): Promise<number> =>
  insert(pool, 'mcp_servers', {
    account_id: accountId,
    agent_id: agentId,
    timeout_ms: 1_000,
    state: 'connected',
    ...row,
  });

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
};

/** In the form of issued tokens: 256 random bits and their CRC-32, in base62. */
function newToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return `tk_${secret}${base62(BigInt(crc32(secret)), 6)}`;
}

export async function aToken(pool: Pool, accountId: number, scopes: readonly string[] = SCOPES): Promise<string> {
  const token = newToken();
  const row = { token_hash: createHash('sha256').update(token).digest(), hint: `${token.slice(0, 7)}…`, scopes };
  await insert(pool, 'api_tokens', { account_id: accountId, name: 'test', ...row });
  return token;
}

/** A row of `calls`; pending by default. */
export async function aCall(
  pool: Sql,
  workspace: Pick<Workspace, 'accountId' | 'agentId' | 'numberId'>,
  { id = newId(), ...row }: Record<string, unknown> & { id?: string } = {},
): Promise<string> {
  await insert(pool, 'calls', {
    id,
    account_id: workspace.accountId,
    agent_id: workspace.agentId,
    number_id: workspace.numberId,
    to_number: 'sip:answer@127.0.0.1:5070',
    from_number: '+15550001111',
    agent_name: 'Receptionist',
    ...row,
  });
  return id;
}

/** An executed command `say` of a call. */
const aCommand = (pool: Pool, accountId: number, callId: string, text: string): Promise<number> =>
  insert(pool, 'call_commands', {
    ...{ id: newId(), account_id: accountId, call_id: callId, seq: 1, owner: 'dialer' },
    ...{ type: 'say', input: { text }, status: 'done' },
  });

/** Records that few tests need, with `word` in their texts: a command of the call, a campaign and a test run. */
export async function furtherRecords(pool: Pool, workspace: Workspace, callId: string, word: string): Promise<void> {
  await aCommand(pool, workspace.accountId, callId, word);
  await aCampaign(pool, workspace, word);
  await aTestRun(pool, workspace, word);
}

/** A test run that has passed, with its conversation, and a nightly schedule. */
async function aTestRun(pool: Pool, { accountId, agentId }: Workspace, name: string): Promise<void> {
  const id = newId();
  const scenario = { file: name, index: 0, name, repeat: 1, pass_rate: 1, channel: 'text' };
  const plan = JSON.stringify({ files: { [name]: { steps: [{ says: name }] } }, scenarios: [scenario] });
  const run = { account_id: accountId, agent_id: agentId, trigger: 'request', plan, conversations: 1 };
  await insert(pool, 'test_runs', { id, ...run, status: 'passed', lease_until: new Date(), ended_at: new Date() });
  const report = { steps: [], checks: [], rubric: null, transcript: [], toolCalls: [], usage: [] };
  const rest = { costMicros: 0, end: null, error: null, conversationMs: 0, durationMs: 0 };
  await pool.query(
    `INSERT INTO test_conversations (run_id, account_id, scenario, repetition, passed, report) VALUES ($1, $2, 0, 0, true, $3)`,
    [id, accountId, JSON.stringify({ ...report, ...rest })],
  );
  const overrides = { repeat: null, pass_rate: null, channel: null };
  await pool.query(
    `INSERT INTO agent_test_schedules (agent_id, account_id, cron, time_zone, scenarios, overrides, next_at)
      VALUES ($1, $2, '0 3 * * *', 'UTC', $3, $4, now() + interval '1 day')`,
    [agentId, accountId, [name], overrides],
  );
}

/** The settings of a campaign that the API was given none for. */
const CAMPAIGN = {
  schedule: { time_zone: 'UTC', windows: [], excluded_dates: [], start_at: null, end_at: null },
  retry: { max_attempts: 3, delay_minutes: { busy: 15, no_answer: 60, failed: 60 }, causes: {} },
  pacing: {
    ...{ concurrent_calls: null, calls_per_second: null, reserve_percent: 10, ramp_up_seconds: 0 },
    breaker: { calls: 50, failure_percent: 50 },
  },
};

/** A draft with two contacts and one import of a file. */
async function aCampaign(pool: Pool, workspace: Workspace, name: string): Promise<number> {
  const { accountId: account_id, agentId: agent_id, numberId } = workspace;
  const id = await insert(pool, 'campaigns', { account_id, name, agent_id, number_ids: [numberId], ...CAMPAIGN });
  const of = { account_id, campaign_id: id };
  for (const to_number of ['+15550007777', '+15550007778'])
    await insert(pool, 'campaign_contacts', { id: newId(), ...of, to_number, metadata: { name } });
  await pool.query(`INSERT INTO campaign_progress (campaign_id, key, contacts) VALUES ($1, 'waiting', 2)`, [id]);
  const columns = JSON.stringify([{ name, field: 'to_number' }]);
  const file = { file_name: `${name}.csv`, file_bytes: 100, encoding: 'utf-8', delimiter: ',', columns };
  await insert(pool, 'campaign_imports', { id: newId(), ...of, ...file, duplicates: 'merge', status: 'completed' });
  return id;
}
