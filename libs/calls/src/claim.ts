import { TRUNK_LEG_COUNT } from '@app/accounts';
import { inTransaction, rows } from '@app/database';
import type { Pool, PoolClient } from 'pg';
import { type ClaimPlan, type Gate, planClaims, type PlannedCall } from './claim-plan.js';

const HORIZON_MS = 500;
/** Waiting calls of one account looked at in one claim. */
const LOOK_AHEAD = 200;

/** Accounts with somebody in the waiting line: one index probe each, however long the lines are. */
const WAITING_ACCOUNTS = {
  name: 'waiting-accounts',
  text: `WITH RECURSIVE line AS (
      (SELECT account_id FROM calls WHERE status = 'pending' AND owner IS NULL ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT c.account_id FROM calls c WHERE c.status = 'pending' AND c.owner IS NULL
                AND c.account_id > line.account_id ORDER BY c.account_id LIMIT 1)
        FROM line WHERE line.account_id IS NOT NULL)
    SELECT account_id FROM line WHERE account_id IS NOT NULL`,
};

/** The row lock makes the limits of an account and of its trunks one decision at a time, however many dialers ask. */
const LOCK_ACCOUNT = {
  name: 'claim-lock-account',
  text: 'SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE SKIP LOCKED',
};

/** A statement of its own, after the lock: one that locked and counted would count what was there before it waited. */
const ACCOUNT_GATE = {
  name: 'claim-account',
  text: `SELECT a.calls_per_second AS rate, extract(epoch FROM g.next_dial_at - now()) * 1000 AS next_ms,
            a.concurrent_calls - (SELECT count(*)::int FROM calls c WHERE c.account_id = a.id
                AND c.owner IS NOT NULL AND c.ended_at IS NULL) AS free
       FROM dial_gates g JOIN accounts a ON a.id = g.account_id WHERE g.account_id = $1`,
};

const TRUNK_GATES = {
  name: 'claim-trunks',
  text: `SELECT t.id, t.calls_per_second AS rate, extract(epoch FROM g.next_dial_at - now()) * 1000 AS next_ms,
            t.concurrent_calls - ${TRUNK_LEG_COUNT} AS free
       FROM sip_trunks t LEFT JOIN trunk_gates g ON g.trunk_id = t.id WHERE t.account_id = $1`,
};

const LINE = {
  name: 'claim-line',
  text: `SELECT id, trunk_id AS "trunkId" FROM calls
      WHERE account_id = $1 AND status = 'pending' AND owner IS NULL AND (trunk_id IS NULL OR trunk_id <> ALL ($2::int[]))
      ORDER BY id LIMIT ${LOOK_AHEAD}`,
};

interface GateRow {
  free: number | null;
  rate: number | null;
  /** `extract` gives a numeric, which pg hands over as text. */
  next_ms: string | null;
}

/**
 * Takes calls from the waiting line for a dialer, within the concurrency and the calls per second of each account and
 * trunk. What it returns belongs to `dialer` alone: no other process dials it.
 */
export async function claimCalls(pool: Pool, dialer: string, capacity: number): Promise<PlannedCall[]> {
  const claimed: PlannedCall[] = [];
  const accounts = await rows<{ account_id: number }>(pool, WAITING_ACCOUNTS);
  for (const { account_id } of shuffled(accounts)) {
    if (claimed.length >= capacity) break;
    const room = capacity - claimed.length;
    claimed.push(...(await inTransaction(pool, (sql) => claimOfAccount(sql, account_id, dialer, room))));
  }
  return claimed;
}

async function claimOfAccount(
  sql: PoolClient,
  accountId: number,
  dialer: string,
  capacity: number,
): Promise<PlannedCall[]> {
  await sql.query('INSERT INTO dial_gates (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [accountId]);
  if ((await rows(sql, LOCK_ACCOUNT, [accountId])).length === 0) return [];
  const [account] = await rows<GateRow>(sql, ACCOUNT_GATE, [accountId]);
  if (!account || (account.free ?? 0) < 1) return [];
  const trunkRows = await rows<GateRow & { id: number }>(sql, TRUNK_GATES, [accountId]);
  const trunks = new Map(trunkRows.map((row) => [row.id, gateOf(row)]));
  const closed = [...trunks].filter(([, gate]) => gate.free < 1 || gate.nextAt > HORIZON_MS).map(([id]) => id);
  const waiting = await rows<{ id: string; trunkId: number | null }>(sql, LINE, [accountId, closed]);
  const plan = planClaims(waiting, gateOf(account), trunks, { capacity, horizonMs: HORIZON_MS });
  if (plan.calls.length > 0) await store(sql, accountId, dialer, plan);
  return plan.calls;
}

const gateOf = (row: GateRow): Gate => ({
  free: row.free ?? Number.POSITIVE_INFINITY,
  rate: row.rate ?? undefined,
  nextAt: row.next_ms === null ? Number.NEGATIVE_INFINITY : Number(row.next_ms),
});

async function store(sql: PoolClient, accountId: number, dialer: string, plan: ClaimPlan): Promise<void> {
  const ids = plan.calls.map((call) => call.id);
  await sql.query('UPDATE calls SET owner = $1 WHERE id = ANY ($2::uuid[])', [dialer, ids]);
  await sql.query(`UPDATE dial_gates SET next_dial_at = now() + $2 * interval '1 ms' WHERE account_id = $1`, [
    accountId,
    plan.account.nextAt,
  ]);
  const paced = [...plan.trunks].filter(([, gate]) => gate.rate !== undefined && Number.isFinite(gate.nextAt));
  if (paced.length === 0) return;
  await sql.query(
    `INSERT INTO trunk_gates (trunk_id, next_dial_at)
       SELECT id, now() + ms * interval '1 ms' FROM unnest($1::int[], $2::float8[]) AS t (id, ms)
       ON CONFLICT (trunk_id) DO UPDATE SET next_dial_at = excluded.next_dial_at`,
    [paced.map(([id]) => id), paced.map(([, gate]) => gate.nextAt)],
  );
}

/** So that under load no account is always asked first. */
function shuffled<T>(items: T[]): T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
