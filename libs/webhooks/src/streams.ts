import { isTracing } from '@app/common';
import { rows, type Sql } from '@app/database';
import { endpointSql, type DisabledReason } from './endpoints.js';
import type { HostOf } from './hosts.js';
import type { WebhookType } from './outbox.js';
import type { Lane } from './retry-schedule.js';

/*
 * The lease of a stream lives on the database's clock. While it is held, `next_at` equals `lease_until`: a stream whose
 * dispatcher died comes due by itself, and a lower `next_at` tells the holder that something was added meanwhile, which the
 * release must not overwrite. Several streams are only ever locked with SKIP LOCKED: a dispatcher that holds one waits for no
 * other, so it can be part of no deadlock with the transactions that write calls.
 */

export interface ClaimedStream extends HostOf {
  id: string;
  /** Of its breaker: null when it is closed, how long it is open still, or not positive when it is half open. */
  blocked_ms: number | null;
  /** Null: its endpoint is active. */
  disabled_reason: DisabledReason | null;
}

/** A delivery of a claimed stream. `due_in_ms` counts from the moment it was read. */
export interface OpenDelivery {
  id: string;
  stream_id: string;
  account_id: number;
  /** Null: of an invocation without a call. */
  call_id: string | null;
  type: WebhookType;
  event: string;
  sequence: number;
  method: string;
  url: string;
  headers_sealed: Buffer | null;
  body: string;
  state: Lane;
  attempts: number;
  slow_tries: number;
  due_in_ms: number;
  /** Of the span that its call began with; only read, and only there, when this process traces. */
  trace_parent?: string | null;
}

/** How many more streams may be claimed. Accounts and routes that no stream is held of have the room of any other. */
export interface ClaimRoom {
  routes: Map<string, number>;
  accounts: Map<number, number>;
  perOtherRoute: number;
  perOtherAccount: number;
}

/** How many streams of which accounts and hosts a dispatcher takes. */
export interface ClaimWish {
  lease: string;
  leaseMs: number;
  limit: number;
  room: ClaimRoom;
  /** There are probably more due streams than one look sees: the look is made account by account. */
  backlog: boolean;
}

/** One account's way to one host. Accounts that share a host stand in no common line: what is slow or broken may be one's own. */
export const routeOf = ({ account_id, host }: HostOf): string => `${account_id}@${host}`;

/** Due streams that one look sees, or that it sees of one account in a backlog. */
const LOOKED_AT = 512;
const LOOKED_AT_PER_ACCOUNT = 64;

const DUE = `next_at <= now() AND (lease_until IS NULL OR lease_until <= now())`;

const LOOK = `SELECT id, account_id, host, next_at FROM webhook_streams
       WHERE ${DUE} AND account_id <> ALL ($5::integer[]) AND account_id || '@' || host <> ALL ($4::text[])
       ORDER BY next_at LIMIT ${LOOKED_AT}`;

// The oldest streams may all be of one account: the index by account finds the others without reading past them.
const LOOK_BY_ACCOUNT = `SELECT due.* FROM accounts a CROSS JOIN LATERAL (
        SELECT s.id, s.account_id, s.host, s.next_at FROM webhook_streams s
         WHERE s.account_id = a.id AND ${DUE} AND s.account_id || '@' || s.host <> ALL ($4::text[])
         ORDER BY s.account_id, s.next_at LIMIT ${LOOKED_AT_PER_ACCOUNT}) due
       WHERE a.id <> ALL ($5::integer[])`;

// Not waited for until it is on the disk, as the setting of its own transaction says. A crash of PostgreSQL that takes a claim along
// gives the streams to somebody else, while what was posted under it, 16 webhooks at most, is settled as lost and so sent twice.
const claim = (name: string, look: string) => ({
  name,
  text: `WITH waiting AS (
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
const CLAIM_BY_ACCOUNT = claim('claim-webhook-streams-by-account', LOOK_BY_ACCOUNT);

/** Takes due streams that nobody holds. Routes and accounts without room are left out of the look. */
export function claimStreams(sql: Sql, { lease, leaseMs, limit, room, backlog }: ClaimWish): Promise<ClaimedStream[]> {
  const [fullRoutes, routes] = partition(room.routes);
  const [fullAccounts, accounts] = partition(room.accounts);
  const rooms = [[...routes.keys()], [...routes.values()], [...accounts.keys()], [...accounts.values()]];
  const others = [room.perOtherRoute, room.perOtherAccount];
  const values = [lease, leaseMs, limit, [...fullRoutes.keys()], [...fullAccounts.keys()], ...rooms, ...others];
  return rows<ClaimedStream>(sql, backlog || fullAccounts.size > 0 ? CLAIM_BY_ACCOUNT : CLAIM, values);
}

/** What has no room, and what has. */
function partition<Key>(room: ReadonlyMap<Key, number>): [full: Map<Key, number>, open: Map<Key, number>] {
  const entries = [...room];
  return [new Map(entries.filter(([, left]) => left <= 0)), new Map(entries.filter(([, left]) => left > 0))];
}

const load = (name: string, more = '') => ({
  name,
  text: `SELECT id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body, state, attempts,
      slow_tries, extract(epoch FROM next_at - now())::double precision * 1000 AS due_in_ms${more}
    FROM webhook_deliveries d WHERE stream_id = ANY ($1::bigint[]) AND state IN ('pending', 'slow')`,
});

const LOAD = load('load-webhook-deliveries');

const LOAD_TRACED = load(
  'load-traced-webhook-deliveries',
  ', (SELECT c.trace_parent FROM calls c WHERE c.id = d.call_id) AS trace_parent',
);

/**
 * What is open of some streams, by their ids. A statement of its own after the claim: its snapshot sees all that was committed before the
 * streams were taken.
 */
export async function loadDeliveries(sql: Sql, streamIds: string[]): Promise<Map<string, OpenDelivery[]>> {
  const found = await rows<OpenDelivery>(sql, isTracing() ? LOAD_TRACED : LOAD, [streamIds]);
  const streams = new Map<string, OpenDelivery[]>();
  for (const delivery of found) {
    const own = streams.get(delivery.stream_id);
    if (own) own.push(delivery);
    else streams.set(delivery.stream_id, [delivery]);
  }
  return streams;
}

/** The outcome of one attempt. */
export interface Settlement {
  stream_id: string;
  lease: string;
  delivery_id: string;
  attempt: number;
  state: string;
  slow_tries: number;
  /** Until the next try; null when there is none. */
  delay_ms: number | null;
  status: number | null;
  error: string | null;
  latency_ms: number;
  response_head: string | null;
  request_headers: Record<string, string>;
  /** The stream stays ours for the next delivery; otherwise it is given back, due after `wait_ms` (null: nothing is open). */
  keep: boolean;
  /** The lease of a stream that is kept begins anew. A young one stays as it is: each time costs a row and its four index entries. */
  renew: boolean;
  wait_ms: number | null;
}

/**
 * `settled`: stored. `lost`: the lease is somebody else's, who sends the delivery again. `busy`: a row is locked by a
 * transaction that will soon be over, nothing was stored yet.
 */
export type Settled = { stream_id: string; outcome: 'settled' | 'lost' | 'busy'; due: boolean };

const NEXT_AT = (otherwise: string): string =>
  `CASE WHEN s.next_at < s.lease_until THEN s.next_at ELSE ${otherwise} END`;

/** Of one statement. */
export const SETTLED_AT_ONCE = 16;

// The rows are looked up one by one, and the planner is told how few there are: joined as sets, and with the 100 that it expects of
// jsonb, it reads both tables from end to end, which cost three quarters of the statement with 6,000 deliveries.
const SETTLE = {
  name: 'settle-webhook-attempts',
  text: `WITH input AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS i(stream_id bigint, lease text, delivery_id uuid, attempt integer, state text,
        slow_tries integer, delay_ms double precision, status integer, error text, latency_ms integer, response_head text,
        request_headers jsonb, keep boolean, renew boolean, wait_ms double precision) LIMIT ${SETTLED_AT_ONCE}),
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
             delivered_at = CASE WHEN h.state = 'delivered' THEN now() END
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
                -- The answer to an earlier, committed statement was lost on the way.
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

/** Stores a group of at most 16 attempts, one per stream, as one transaction. May be repeated when it is not known whether it was committed. */
export function settleAttempts(sql: Sql, settlements: readonly Settlement[], leaseMs: number): Promise<Settled[]> {
  return rows<Settled>(sql, SETTLE, [JSON.stringify(settlements), leaseMs]);
}

const RELEASE = {
  name: 'release-webhook-stream',
  text: `UPDATE webhook_streams s
       SET lease_owner = NULL, lease_until = NULL, next_at = ${NEXT_AT(`now() + $3 * interval '1 ms'`)}
     WHERE id = $1 AND lease_owner = $2`,
};

/**
 * Gives a stream back without an attempt. This one does wait for a lock: alone, and with no other lock in hand.
 * @param waitMs until something of it is due; null when nothing is open.
 */
export async function releaseStream(sql: Sql, streamId: string, lease: string, waitMs: number | null): Promise<void> {
  await rows(sql, RELEASE, [streamId, lease, waitMs]);
}

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
             -- Somebody may have one of them locked right now: what is left is seen by the next look.
             next_at = ${NEXT_AT("CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.stream_id = s.id AND d.state IN ('pending', 'slow')) THEN now() + interval '1 second' END")}
        FROM held h WHERE s.id = h.id)
    SELECT type, count(*)::integer AS count FROM ended GROUP BY type`,
};

/** A stream whose endpoint is disabled, and the sentence that its deliveries end with. */
export interface Unsendable {
  stream_id: string;
  lease: string;
  error: string;
}

/** Ends what is open of some streams as `dead`, without an attempt, and gives them back. @returns how many of which type. */
export function endUnsent(sql: Sql, streams: readonly Unsendable[]): Promise<{ type: WebhookType; count: number }[]> {
  return rows(sql, END_UNSENT, [JSON.stringify(streams)]);
}
