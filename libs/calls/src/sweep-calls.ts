import { firstIdOf, type Log } from '@app/common';
import { metrics } from '@app/metrics';
import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import type { Links } from './call-view.js';
import { endCall } from './finish.js';

const BATCH = 50;
/** Nobody wants to be called a day later. */
const LONGEST_WAIT_MS = 86_400_000;

const ORPHANS = {
  name: 'orphaned-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls
      WHERE ended_at IS NULL AND owner IN (SELECT id FROM dialers WHERE dead_at IS NOT NULL)
      ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};

const FORGOTTEN = {
  name: 'forgotten-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE ended_at IS NULL AND owner = $1 AND id = ANY ($2::uuid[])
      ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};

const WAITED_TOO_LONG = {
  name: 'calls-that-waited-too-long',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE status = 'pending' AND owner IS NULL AND id < $1
      ORDER BY account_id, id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};

interface SweptCalls {
  ended: string[];
  requeued: string[];
}

/**
 * Ends what dead dialers left behind, as failed/worker_lost; what they had claimed but not begun goes back to the line.
 * A call whose INVITE may have left is never dialled again. Any process may run this, several at once too.
 */
export async function endLostCalls(pool: Pool, links: Links, log: Log): Promise<void> {
  await pool.query('UPDATE dialers SET dead_at = now() WHERE dead_at IS NULL AND lease_until < now()');
  const swept = await sweep(pool, links, ORPHANS, []);
  if (swept.ended.length > 0) log.warn({ calls: swept.ended }, 'calls of a lost dialer were ended');
  if (swept.requeued.length > 0) log.warn({ calls: swept.requeued }, 'calls of a lost dialer wait again');
}

/** The same for calls that a dialer which lives has in the database and not in hand: their end could not be written, for example. */
export async function endForgottenCalls(
  { pool, links, log }: { pool: Pool; links: Links; log: Log },
  owner: string,
  ids: readonly string[],
): Promise<void> {
  const { ended, requeued } = await sweep(pool, links, FORGOTTEN, [owner, ids]);
  if (ended.length > 0) log.warn({ calls: ended }, 'calls that nobody had in hand were ended');
  if (requeued.length > 0) log.warn({ calls: requeued }, 'calls that nobody had in hand wait again');
}

async function sweep(pool: Pool, links: Links, lost: typeof ORPHANS, values: unknown[]): Promise<SweptCalls> {
  const swept: SweptCalls = { ended: [], requeued: [] };
  for (;;) {
    const found = await inTransaction(pool, async (sql) => {
      const orphans = await rows<CallRow>(sql, lost, values);
      const waiting = orphans.filter((call) => call.started_at === null).map((call) => call.id);
      await sql.query('UPDATE calls SET owner = NULL WHERE id = ANY ($1::uuid[])', [waiting]);
      const begun = orphans.filter((call) => call.started_at !== null);
      for (const call of begun) {
        await endCall(sql, call, { change: 'failed', at: new Date(), cause: 'worker_lost', endedBy: 'system' }, links);
      }
      swept.requeued.push(...waiting);
      swept.ended.push(...begun.map((call) => call.id));
      return orphans.length;
    });
    if (found < BATCH) break;
  }
  metrics.callsSwept.inc(swept.ended.length);
  return swept;
}

/** Ends calls that nobody has dialled within a day, as failed/queue_expired: 50 at most. Any process may run this. */
export async function endExpiredCalls(pool: Pool, links: Links, log: Log, now = Date.now()): Promise<void> {
  const expired = await inTransaction(pool, async (sql) => {
    const calls = await rows<CallRow>(sql, WAITED_TOO_LONG, [firstIdOf(now - LONGEST_WAIT_MS)]);
    const ending = { change: 'failed', at: new Date(), cause: 'queue_expired', endedBy: 'system' } as const;
    for (const call of calls) await endCall(sql, call, ending, links);
    return calls.map((call) => call.id);
  });
  if (expired.length > 0) log.warn({ calls: expired }, 'calls that waited for a day were ended');
}

/** A call that its dialer answers for, and seconds since it should have been over (negative: it may go on). */
export interface AnsweredFor {
  id: string;
  overdue_seconds: number;
}

/** Beside the ringing: several targets that do not answer are given up after 32 s each (Timer B). */
const SET_UP_SECONDS = 240;

const OWNED = {
  name: 'calls-answered-for',
  text: `SELECT c.id, coalesce(extract(epoch FROM now() - coalesce(c.answered_at + a.max_call_seconds * interval '1 s',
        c.started_at + (a.ring_timeout_seconds + ${SET_UP_SECONDS}) * interval '1 s')), -1)::float8 AS overdue_seconds
      FROM calls c JOIN agents a ON a.id = c.agent_id WHERE c.owner = $1 AND c.ended_at IS NULL`,
};

/** Everything that the database says a dialer has on the line. */
export const callsAnsweredFor = (pool: Pool, owner: string): Promise<AnsweredFor[]> =>
  rows<AnsweredFor & Record<string, unknown>>(pool, OWNED, [owner]);
