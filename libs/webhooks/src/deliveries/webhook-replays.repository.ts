import { Database, type ListCursor, type Query, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { RARE_STATES } from '../domain/delivery-record.js';
import { type DeliveryFilter, deliveriesWhere } from './webhook-deliveries.repository.js';
import { endpointSql } from '../endpoints/webhook-endpoints.repository.js';

/*
 * A replay is one more attempt at the same delivery: same id, body and target. The delivery returns to the order of its stream, and the
 * same statement makes the stream due; a dispatcher that holds the stream notices the lower `next_at` (see webhook-streams.repository.ts).
 * The count of attempts continues, so that a delivery without fast attempts left blocks no later event: after one more attempt it starts
 * the slow lane from its beginning.
 */

/** Deliveries of a period; without a state all undelivered ones outside of the fast lane: after an outage a receiver needs what it missed. */
export interface ReplayRange extends DeliveryFilter {
  from: Date;
  to: Date;
}

export interface ReplayChunk {
  seen: number;
  replayed: number;
  skipped: number;
  /** Deliveries whose streams another transaction had locked. */
  busy: string[];
  last_micros: string | null;
  last_id: string | null;
}

/** The effect of a replay on a row `d`. An open delivery keeps its state and becomes due now. */
const REPLAYED = `state = 'pending', next_at = now(), replayed_at = now(), delivered_at = NULL,
  slow_tries = CASE WHEN d.state = 'pending' THEN d.slow_tries ELSE 0 END`;

/**
 * A delivery before its first attempt is already due, or deliberately held (a queued action waits for awaited ones). No call waits for
 * the answer of a pre-call webhook any more.
 */
const REPLAYABLE = `NOT (d.state = 'pending' AND d.attempts = 0) AND d.type <> 'pre-call'`;

const REPLAY = {
  name: 'replay-webhook-delivery',
  text: `WITH found AS (
      SELECT d.stream_id FROM webhook_deliveries d WHERE d.account_id = $1 AND d.id = $2 AND ${REPLAYABLE}),
    woken AS (
      UPDATE webhook_streams s SET next_at = least(s.next_at, now()) FROM found WHERE s.id = found.stream_id RETURNING s.id)
    UPDATE webhook_deliveries d SET ${REPLAYED} FROM woken WHERE d.stream_id = woken.id AND d.id = $2 AND ${REPLAYABLE}`,
};

/** One statement changes stream and delivery together, so that a dispatcher never sees one without the other. */
@Injectable()
export class WebhookReplaysRepository {
  constructor(private readonly database: Database) {}

  /** Makes a delivery due now. A delivery that waits for its first attempt is not changed: it is already queued. */
  async makeDue(accountId: number, id: string, tx?: Sql): Promise<void> {
    await this.database.rows(REPLAY, [accountId, id], tx);
  }

  async replayChunk(
    accountId: number,
    range: ReplayRange,
    { limit, after }: { limit: number; after?: ListCursor },
    tx: Sql,
  ): Promise<ReplayChunk> {
    const query = chunkQuery(accountId, range, limit, after);
    const [chunk] = await this.database.rows<ReplayChunk & Record<string, unknown>>(query, query.values, tx);
    if (!chunk) throw new Error('A chunk of a replay has no sums.');
    return chunk;
  }
}

/** Several streams are only locked with SKIP LOCKED (see webhook-streams.repository.ts), so that a replay causes no deadlock. */
function chunkQuery(accountId: number, range: ReplayRange, limit: number, after?: ListCursor): Query {
  const where = deliveriesWhere(accountId, range);
  const states = `${where.place(range.state ? [range.state] : RARE_STATES)}::text[]`;
  if (!range.state) where.addFixed('', 'd.rare_state = wanted.state');
  const most = `${where.place(limit)}::integer`;
  const beside = after
    ? `AND (created_at, id) > ('epoch'::timestamptz + ${where.place(after.micros)}::bigint * interval '1 microsecond',
        ${where.place(after.id)}::uuid)`
    : '';
  const { sql, values } = where.done();
  // Each state is read in the order of its index: the cost of a chunk does not depend on the number of deliveries.
  const text = `WITH picked AS MATERIALIZED (
      SELECT d.* FROM unnest(${states}) AS wanted(state) CROSS JOIN LATERAL (
          SELECT d.id, d.stream_id, d.created_at, ${endpointSql('d.url')} AS endpoint
            FROM webhook_deliveries d WHERE ${sql} AND ${REPLAYABLE} ${beside}
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
