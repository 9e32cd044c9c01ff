import { InvalidFields } from '@app/common';
import { inTransaction, type ListCursor, type Query, rows, type Sql, writeCursor } from '@app/database';
import type { Pool } from 'pg';
import { type DeliveryFilter, deliveriesWhere } from './delivery-filter.js';
import type { DeliveryState } from './delivery-state.js';
import { endpointSql } from './endpoints.js';
import { makeDueAgain, REPLAYABLE, REPLAYED } from './replay-delivery.js';

/** What has not arrived: who had an outage wants this, and not once more what was received. */
const UNDELIVERED: DeliveryState[] = ['slow', 'dead', 'refused'];
/** Of one transaction: it holds the locks of their streams. */
const CHUNK = 500;
/** Of one request, which takes a second or so then; the next one goes on behind it. */
const MOST = 10_000;

/** Deliveries of a time; without a state those that have not arrived and wait for hours, or for nothing. */
export interface ReplayRange extends DeliveryFilter {
  from: Date;
  to: Date;
}

export interface RangeReplay {
  /** How many are tried again. */
  replayed: number;
  /** How many are left as they were because their endpoint is disabled. */
  skipped: number;
  /** Where the next request goes on; null: that was all. */
  next: string | null;
}

interface ChunkRow {
  seen: number;
  replayed: number;
  skipped: number;
  /** Their streams were locked by somebody else just then. */
  busy: string[];
  last_micros: string | null;
  last_id: string | null;
}

/**
 * Replays the deliveries of a time, the oldest first, at most 10,000. Each 500 are a transaction of their own; `note` is called
 * in each with how many they were. Throws InvalidFields when it names a call that the account has not.
 */
export async function replayRange(
  pool: Pool,
  accountId: number,
  range: ReplayRange,
  {
    cursor,
    note,
    most = MOST,
  }: { cursor?: ListCursor; note: (tx: Sql, replayed: number) => Promise<void>; most?: number },
): Promise<RangeReplay> {
  if (range.callId !== undefined) await requireCall(pool, accountId, range.callId);
  const sum: RangeReplay = { replayed: 0, skipped: 0, next: null };
  let after = cursor;
  for (let left = most; left > 0; left -= CHUNK) {
    const limit = Math.min(CHUNK, left);
    const chunk = await replayChunk(pool, accountId, range, { after, limit, note });
    sum.replayed += chunk.replayed;
    sum.skipped += chunk.skipped;
    if (chunk.seen < limit || chunk.last_micros === null || chunk.last_id === null) return sum;
    after = { micros: chunk.last_micros, id: chunk.last_id, direction: 'newer' };
  }
  return { ...sum, next: after ? writeCursor(after) : null };
}

const CALL = { name: 'call-to-replay', text: 'SELECT 1 FROM calls WHERE account_id = $1 AND id = $2' };

async function requireCall(sql: Sql, accountId: number, callId: string): Promise<void> {
  const found = await rows(sql, CALL, [accountId, callId]);
  if (found.length === 0) throw new InvalidFields({ call_id: ['The selected call id is invalid.'] });
}

interface Chunk {
  after?: ListCursor;
  limit: number;
  note: (tx: Sql, replayed: number) => Promise<void>;
}

async function replayChunk(
  pool: Pool,
  accountId: number,
  range: ReplayRange,
  { after, limit, note }: Chunk,
): Promise<Omit<ChunkRow, 'busy'>> {
  const query = chunkQuery(accountId, range, limit, after);
  const chunk = await inTransaction(pool, async (tx) => {
    const [row] = await rows<ChunkRow & Record<string, unknown>>(tx, query, query.values);
    if (!row) throw new Error('A chunk of a replay has no sums.');
    const replayed = row.replayed + row.busy.length;
    if (replayed > 0) await note(tx, replayed);
    return { ...row, replayed };
  });
  // One at a time, with no other lock in hand: these may wait.
  for (const id of chunk.busy) await makeDueAgain(pool, accountId, id);
  return chunk;
}

/** Several streams are only ever locked with SKIP LOCKED (see streams.ts), so that nobody waits for a replay in a circle. */
export function chunkQuery(accountId: number, range: ReplayRange, limit: number, after?: ListCursor): Query {
  const where = deliveriesWhere(accountId, { ...range, state: undefined });
  const states = `${where.place(range.state ? [range.state] : UNDELIVERED)}::text[]`;
  where.addFixed('', `d.state ${range.state === 'delivered' ? '=' : '<>'} 'delivered'`);
  const most = `${where.place(limit)}::integer`;
  const beside = after
    ? `AND (created_at, id) > ('epoch'::timestamptz + ${where.place(after.micros)}::bigint * interval '1 microsecond',
        ${where.place(after.id)}::uuid)`
    : '';
  const { sql, values } = where.done();
  // Each state by itself is in the order of its index: a chunk costs the same however much there is.
  const text = `WITH picked AS MATERIALIZED (
      SELECT d.* FROM unnest(${states}) AS wanted(state) CROSS JOIN LATERAL (
          SELECT d.id, d.stream_id, d.created_at, ${endpointSql('d.url')} AS endpoint
            FROM webhook_deliveries d WHERE ${sql} AND d.state = wanted.state AND ${REPLAYABLE} ${beside}
           ORDER BY created_at, id LIMIT ${most}) d
       ORDER BY created_at, id LIMIT ${most}),
    allowed AS MATERIALIZED (
      SELECT p.id, p.stream_id FROM picked p WHERE NOT EXISTS (
        SELECT FROM webhook_endpoints e WHERE e.account_id = $1 AND e.url = p.endpoint AND e.disabled_at IS NOT NULL)),
    locked AS MATERIALIZED (
      SELECT s.id FROM webhook_streams s WHERE s.id IN (SELECT stream_id FROM allowed) FOR NO KEY UPDATE SKIP LOCKED),
    woken AS (
      UPDATE webhook_streams s SET next_at = least(s.next_at, now()) FROM locked WHERE s.id = locked.id RETURNING s.id),
    replayed AS (
      UPDATE webhook_deliveries d SET ${REPLAYED} FROM allowed a JOIN woken w ON w.id = a.stream_id
       WHERE d.id = a.id AND ${REPLAYABLE} RETURNING d.id),
    last AS (SELECT id, created_at FROM picked ORDER BY created_at DESC, id DESC LIMIT 1)
    SELECT (SELECT count(*)::integer FROM picked) AS seen,
           (SELECT count(*)::integer FROM replayed) AS replayed,
           (SELECT count(*)::integer FROM picked) - (SELECT count(*)::integer FROM allowed) AS skipped,
           (SELECT coalesce(array_agg(a.id), '{}') FROM allowed a
             WHERE NOT EXISTS (SELECT FROM locked l WHERE l.id = a.stream_id)) AS busy,
           (SELECT (extract(epoch FROM created_at) * 1000000)::bigint FROM last) AS last_micros,
           (SELECT id FROM last) AS last_id`;
  return { text, values };
}
