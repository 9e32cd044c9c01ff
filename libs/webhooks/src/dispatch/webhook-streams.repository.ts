import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { AttemptOutcome, StoredOutcome } from '../domain/attempt-outcome.js';
import type { WebhookType } from '../domain/delivery-record.js';
import type { AccountHost, ClaimedStream } from '../domain/webhook-stream.js';
import { endpointSql } from '../endpoints/webhook-endpoints.repository.js';

/*
 * The lease of a stream uses the database's clock. During a lease `next_at` equals `lease_until`: the stream of a dead dispatcher
 * becomes due by itself, and a lower `next_at` shows that deliveries were added during the lease, which the release must not
 * overwrite. Statements that lock several streams use SKIP LOCKED: a dispatcher that holds one lock waits for no other, so it cannot
 * deadlock with the transactions that write calls. The statements are prepared: they run for every group of webhooks.
 */

/** The remaining capacity for claims; `perOther…`: of accounts and routes without a leased stream. */
export interface ClaimRoom {
  routes: Map<string, number>;
  accounts: Map<number, number>;
  perOtherRoute: number;
  perOtherAccount: number;
}

/** The limits of a claim by account and host. */
interface ClaimRequest {
  lease: string;
  leaseMs: number;
  limit: number;
  room: ClaimRoom;
  /** More streams are probably due than one look reads; the look then reads account by account. */
  backlog: boolean;
}

/** Due streams that one look reads, and that it reads of one account in a backlog. */
const LOOKED_AT = 512;
const LOOKED_AT_PER_ACCOUNT = 64;

const DUE = `next_at <= now() AND (lease_until IS NULL OR lease_until <= now())`;

const LOOK = `SELECT id, account_id, host, next_at FROM webhook_streams
       WHERE ${DUE} AND account_id <> ALL ($5::integer[]) AND account_id || '@' || host <> ALL ($4::text[])
       ORDER BY next_at LIMIT ${LOOKED_AT}`;

// The oldest streams may all belong to one account: steps through the index by account find the others without reading these.
const LOOK_BY_ACCOUNT = `SELECT due.* FROM accounts_due a CROSS JOIN LATERAL (
        SELECT s.id, s.account_id, s.host, s.next_at FROM webhook_streams s
         WHERE s.account_id = a.id AND ${DUE} AND s.account_id || '@' || s.host <> ALL ($4::text[])
         ORDER BY s.account_id, s.next_at LIMIT ${LOOKED_AT_PER_ACCOUNT}) due
       WHERE a.id <> ALL ($5::integer[])`;

const ACCOUNTS_DUE = `RECURSIVE accounts_due AS (
      (SELECT account_id AS id FROM webhook_streams WHERE next_at <= now() ORDER BY account_id, next_at LIMIT 1)
      UNION ALL
      SELECT next.id FROM accounts_due a CROSS JOIN LATERAL (
        SELECT account_id AS id FROM webhook_streams WHERE next_at <= now() AND account_id > a.id
         ORDER BY account_id, next_at LIMIT 1) next),
    `;

// A claim does not wait for the disk (synchronous_commit is off in its transaction). When a crash of PostgreSQL loses a claim, another
// dispatcher takes the streams, and the outcomes of the lost claim, 16 webhooks at most, count as lost: these webhooks are sent twice.
const claim = (name: string, look: string, before = '') => ({
  name,
  text: `WITH ${before}waiting AS (
      ${look}),
    placed AS (
      SELECT w.id, w.account_id, w.next_at,
             row_number() OVER (PARTITION BY w.account_id, w.host ORDER BY w.next_at, w.id) AS place,
             CASE WHEN h.open_until IS NULL THEN coalesce(r.room, $10) ELSE 1 END AS room,
             extract(epoch FROM h.open_until - now())::double precision * 1000 AS blocked_ms
        FROM waiting w
        LEFT JOIN unnest($6::text[], $7::integer[]) AS r(route, room) ON r.route = w.account_id || '@' || w.host
        LEFT JOIN webhook_hosts h ON h.account_id = w.account_id AND h.host = w.host),
    -- Accounts take turns, and within an account its hosts.
    ranked AS (
      SELECT p.*, row_number() OVER (PARTITION BY p.account_id ORDER BY p.place, p.next_at) AS turn
        FROM placed p WHERE p.place <= p.room),
    picked AS (
      SELECT p.id, p.blocked_ms, e.disabled_reason
        FROM (SELECT k.* FROM ranked k LEFT JOIN unnest($8::integer[], $9::integer[]) AS r(account_id, room) USING (account_id)
               WHERE k.turn <= coalesce(r.room, $11) ORDER BY k.turn, k.next_at) p
       CROSS JOIN LATERAL (
         SELECT s.account_id, s.url FROM webhook_streams s
          WHERE s.id = p.id AND s.next_at <= now() AND (s.lease_until IS NULL OR s.lease_until <= now())
            FOR NO KEY UPDATE SKIP LOCKED) s
        LEFT JOIN webhook_endpoints e ON e.account_id = s.account_id AND e.url = ${endpointSql('s.url')}
       LIMIT $3)
    UPDATE webhook_streams s
       SET lease_owner = $1, lease_until = now() + $2 * interval '1 ms', next_at = now() + $2 * interval '1 ms'
      FROM picked p WHERE s.id = p.id AND s.id = ANY (ARRAY(SELECT id FROM picked))
    RETURNING s.id, s.account_id, s.host, p.blocked_ms, p.disabled_reason, set_config('synchronous_commit', 'off', true)`,
});

const CLAIM = claim('claim-webhook-streams', LOOK);
const CLAIM_BY_ACCOUNT = claim('claim-webhook-streams-by-account', LOOK_BY_ACCOUNT, ACCOUNTS_DUE);

/** Keys without room, and keys with room. */
function partition<Key>(room: ReadonlyMap<Key, number>): [full: Map<Key, number>, open: Map<Key, number>] {
  const entries = [...room];
  return [new Map(entries.filter(([, left]) => left <= 0)), new Map(entries.filter(([, left]) => left > 0))];
}

const NEXT_AT = (otherwise: string): string =>
  `CASE WHEN s.next_at < s.lease_until THEN s.next_at ELSE ${otherwise} END`;

/** Outcomes in one statement. */
export const OUTCOMES_PER_STATEMENT = 16;

// The LATERAL joins and the LIMIT make the planner look up single rows. With set joins, and its estimate of 100 rows for jsonb, it scans
// both tables, which cost three quarters of the statement with 6,000 deliveries.
const SETTLE = {
  name: 'settle-webhook-attempts',
  text: `WITH input AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS i(stream_id bigint, lease text, delivery_id uuid, attempt integer, state text,
        slow_tries integer, delay_ms double precision, status integer, error text, latency_ms integer, response_head text,
        request_headers jsonb, keep boolean, renew boolean, wait_ms double precision) LIMIT ${OUTCOMES_PER_STATEMENT}),
    held AS (
      SELECT i.* FROM input i
       CROSS JOIN LATERAL (SELECT 1 FROM webhook_streams s WHERE s.id = i.stream_id AND s.lease_owner = i.lease
         FOR NO KEY UPDATE SKIP LOCKED) s
       CROSS JOIN LATERAL (SELECT 1 FROM webhook_deliveries d WHERE d.id = i.delivery_id AND d.attempts = i.attempt - 1
         FOR NO KEY UPDATE SKIP LOCKED) d),
    stored AS (
      UPDATE webhook_deliveries d
         SET state = h.state, attempts = h.attempt, slow_tries = h.slow_tries, last_status = h.status, last_error = h.error,
             next_at = now() + coalesce(h.delay_ms, 0) * interval '1 ms',
             delivered_at = CASE WHEN h.state = 'delivered' THEN now() END,
             request_sealed = CASE WHEN h.state <> 'delivered' THEN d.request_sealed END
        FROM held h WHERE d.id = h.delivery_id AND d.id = ANY (ARRAY(SELECT delivery_id FROM held)) RETURNING d.id),
    logged AS (
      INSERT INTO webhook_attempts (delivery_id, attempt, at, status, latency_ms, error, response_head, request_headers)
      SELECT delivery_id, attempt, now() - latency_ms * interval '1 ms', status, latency_ms, error, response_head, request_headers
        FROM held),
    moved AS (
      UPDATE webhook_streams s
         SET lease_owner = CASE WHEN h.keep THEN s.lease_owner END,
             lease_until = CASE WHEN h.keep THEN now() + $2 * interval '1 ms' END,
             next_at = ${NEXT_AT(`now() + CASE WHEN h.keep THEN $2 ELSE h.wait_ms END * interval '1 ms'`)}
        FROM held h WHERE s.id = h.stream_id AND (h.renew OR NOT h.keep) AND s.id = ANY (ARRAY(SELECT stream_id FROM held))
      RETURNING s.id, s.next_at <= now() AS due)
    SELECT i.stream_id, coalesce(m.due, false) AS due,
           CASE WHEN st.id IS NOT NULL THEN 'settled'
                WHEN c.lease_owner IS DISTINCT FROM i.lease THEN 'lost'
                -- An earlier statement was committed, but its answer did not arrive.
                WHEN c.attempts >= i.attempt THEN 'settled'
                WHEN c.attempts IS NULL THEN 'lost'
                ELSE 'busy' END AS outcome
      FROM input i
      LEFT JOIN stored st ON st.id = i.delivery_id
      LEFT JOIN moved m ON m.id = i.stream_id
      LEFT JOIN LATERAL (
        SELECT s.lease_owner, d.attempts FROM webhook_streams s LEFT JOIN webhook_deliveries d ON d.id = i.delivery_id
         WHERE st.id IS NULL AND s.id = i.stream_id OFFSET 0) c ON true`,
};

const RELEASE = {
  name: 'release-webhook-stream',
  text: `UPDATE webhook_streams s
       SET lease_owner = NULL, lease_until = NULL, next_at = ${NEXT_AT(`now() + $3 * interval '1 ms'`)}
     WHERE id = $1 AND lease_owner = $2`,
};

const END_UNSENT = {
  name: 'end-unsent-webhooks',
  text: `WITH held AS (
      SELECT s.id, i.error FROM jsonb_to_recordset($1::jsonb) AS i(stream_id bigint, lease text, error text)
        JOIN webhook_streams s ON s.id = i.stream_id AND s.lease_owner = i.lease
       FOR NO KEY UPDATE OF s SKIP LOCKED),
    open AS (
      SELECT d.id, d.stream_id, h.error FROM held h JOIN webhook_deliveries d ON d.stream_id = h.id
       WHERE d.state IN ('pending', 'slow') FOR NO KEY UPDATE OF d SKIP LOCKED),
    ended AS (
      UPDATE webhook_deliveries d SET state = 'dead', last_error = o.error FROM open o WHERE d.id = o.id RETURNING d.type),
    moved AS (
      UPDATE webhook_streams s
         SET lease_owner = NULL, lease_until = NULL,
             -- Another transaction may have one of them locked: the next look ends the rest.
             next_at = ${NEXT_AT("CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.stream_id = s.id AND d.state IN ('pending', 'slow')) THEN now() + interval '1 second' END")}
        FROM held h WHERE s.id = h.id)
    SELECT type, count(*)::integer AS count FROM ended GROUP BY type`,
};

const PARKED_PER_STATEMENT = 1_000;

const PARK = {
  name: 'park-webhook-streams',
  text: `WITH due AS (
      SELECT id FROM webhook_streams
       WHERE next_at <= now() AND (lease_until IS NULL OR lease_until <= now()) AND account_id = $1 AND host = $2
       LIMIT ${PARKED_PER_STATEMENT} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE webhook_streams s SET next_at = now() + ($3 + random() * $4) * interval '1 ms' FROM due WHERE s.id = due.id
    RETURNING 1`,
};

/** A stream whose endpoint is disabled, and `last_error` of its deliveries. */
interface DisabledStream {
  stream_id: string;
  lease: string;
  error: string;
}

/** The statements on leased streams; they also write the open deliveries. */
@Injectable()
export class WebhookStreamsRepository {
  constructor(private readonly database: Database) {}

  /** Takes due streams without a lease. Routes and accounts without room are left out of the look. */
  claim({ lease, leaseMs, limit, room, backlog }: ClaimRequest): Promise<ClaimedStream[]> {
    const [fullRoutes, routes] = partition(room.routes);
    const [fullAccounts, accounts] = partition(room.accounts);
    const rooms = [[...routes.keys()], [...routes.values()], [...accounts.keys()], [...accounts.values()]];
    const others = [room.perOtherRoute, room.perOtherAccount];
    const values = [lease, leaseMs, limit, [...fullRoutes.keys()], [...fullAccounts.keys()], ...rooms, ...others];
    return this.database.rows<ClaimedStream>(backlog || fullAccounts.size > 0 ? CLAIM_BY_ACCOUNT : CLAIM, values);
  }

  /** Stores at most 16 outcomes, one per stream, as one transaction. May be repeated when it is unknown whether it was committed. */
  storeOutcomes(outcomes: readonly AttemptOutcome[], leaseMs: number): Promise<StoredOutcome[]> {
    return this.database.rows<StoredOutcome>(SETTLE, [JSON.stringify(outcomes), leaseMs]);
  }

  /**
   * Releases a stream without an attempt. This statement waits for a lock: alone, and without holding another.
   * @param waitMs until a delivery of the stream is due; null: no delivery is open.
   */
  async release(streamId: string, lease: string, waitMs: number | null): Promise<void> {
    await this.database.rows(RELEASE, [streamId, lease, waitMs]);
  }

  /** Ends the open deliveries of streams as `dead`, without an attempt, and releases the streams. @returns how many of which type. */
  endUnsent(streams: readonly DisabledStream[]): Promise<{ type: WebhookType; count: number }[]> {
    return this.database.rows(END_UNSENT, [JSON.stringify(streams)]);
  }

  /**
   * Makes the due streams of a host due again after `waitMs`: a long backlog must not slow down every claim. They come back spread over
   * `spreadMs`, so that one of them probes at random.
   */
  async park({ account_id, host }: AccountHost, waitMs: number, spreadMs: number): Promise<void> {
    let parked: number;
    do {
      parked = (await this.database.rows(PARK, [account_id, host, Math.max(waitMs, 0), spreadMs])).length;
    } while (parked === PARKED_PER_STATEMENT);
  }
}
