import { rows, type Sql } from '@app/database';
import { afterNews, type Breaker, type BreakerLimits, type HostNews } from './breaker.js';

/** A host as one account sees it. */
export interface HostOf {
  account_id: number;
  host: string;
}

export interface NewsOfHost extends HostOf, HostNews {}

/** A breaker after the news; `changed` says that it opened or was closed just now. */
export interface KnownHost extends HostOf {
  /** Null: closed. */
  openForMs: number | null;
  /** Of all dispatchers in its window. */
  requests: number;
  failures: number;
  changed: boolean;
}

/** Hosts are compared and locked in this order, so that two dispatchers never wait for each other. */
const ORDER = 'ORDER BY account_id, host';

const ADD = `INSERT INTO webhook_hosts (account_id, host)
  SELECT n.account_id, n.host FROM unnest($1::integer[], $2::text[]) AS n(account_id, host) JOIN accounts a ON a.id = n.account_id
   WHERE NOT EXISTS (SELECT 1 FROM webhook_hosts h WHERE h.account_id = n.account_id AND h.host = n.host) ${ORDER}
  ON CONFLICT DO NOTHING`;

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

const READ = `SELECT h.account_id, h.host, ${ms('h.window_started_at')} AS window_started_at, h.requests, h.failures,
    ${ms('h.open_until')} AS open_until, h.open_count, ${ms('h.probe_until')} AS probe_until, ${ms('clock_timestamp()')} AS now
  FROM webhook_hosts h
 WHERE (h.account_id, h.host) IN (SELECT * FROM unnest($1::integer[], $2::text[])) ${ORDER} FOR UPDATE`;

interface HostRow extends HostOf {
  window_started_at: number;
  requests: number;
  failures: number;
  open_until: number | null;
  open_count: number;
  probe_until: number | null;
  now: number;
}

const STORE = `UPDATE webhook_hosts h
    SET window_started_at = to_timestamp(i.window_started_at / 1000), requests = i.requests, failures = i.failures,
        open_until = to_timestamp(i.open_until / 1000), open_count = i.open_count, probe_until = to_timestamp(i.probe_until / 1000)
   FROM jsonb_to_recordset($1::jsonb) AS i(account_id integer, host text, window_started_at double precision, requests integer,
     failures integer, open_until double precision, open_count integer, probe_until double precision)
  WHERE h.account_id = i.account_id AND h.host = i.host`;

/** Adds the news to what all dispatchers know, on the database's clock. Inside a transaction. */
export async function storeHostNews(
  sql: Sql,
  news: readonly NewsOfHost[],
  limits: BreakerLimits,
): Promise<KnownHost[]> {
  const keys = [news.map((one) => one.account_id), news.map(({ host }) => host)];
  await rows(sql, { text: ADD }, keys);
  const found = await rows<HostRow>(sql, { text: READ }, keys);
  const moved = found.map((row) => ({ row, after: afterNews(breakerOf(row), newsOf(row, news), row.now, limits) }));
  await rows(sql, { text: STORE }, [JSON.stringify(moved.map(({ row, after }) => stored(row, after)))]);
  return moved.map(({ row, after }) => known(row, after));
}

const newsOf = (row: HostRow, news: readonly NewsOfHost[]): HostNews =>
  news.find((one) => one.account_id === row.account_id && one.host === row.host) ?? { requests: 0, failures: 0 };

const breakerOf = (row: HostRow): Breaker => ({
  windowStartedAt: row.window_started_at,
  requests: row.requests,
  failures: row.failures,
  openUntil: row.open_until,
  openCount: row.open_count,
  probeUntil: row.probe_until,
});

const stored = ({ account_id, host }: HostOf, breaker: Breaker): Record<string, unknown> => ({
  account_id,
  host,
  window_started_at: breaker.windowStartedAt,
  requests: breaker.requests,
  failures: breaker.failures,
  open_until: breaker.openUntil,
  open_count: breaker.openCount,
  probe_until: breaker.probeUntil,
});

const known = (row: HostRow, after: Breaker): KnownHost => ({
  account_id: row.account_id,
  host: row.host,
  openForMs: after.openUntil === null ? null : after.openUntil - row.now,
  requests: after.requests,
  failures: after.failures,
  changed: after.openUntil !== row.open_until,
});

/** Whoever probes has this long; then another one may. Longer than any attempt with its wait for a place. */
const PROBE_MS = 30_000;

const TAKE_PROBE = {
  name: 'take-webhook-probe',
  text: `UPDATE webhook_hosts SET probe_until = now() + interval '${PROBE_MS} ms'
     WHERE account_id = $1 AND host = $2 AND open_until <= now() AND (probe_until IS NULL OR probe_until <= now())
    RETURNING host`,
};

/** True: the breaker is half open and it is the caller who tries. */
export async function takeProbe(sql: Sql, { account_id, host }: HostOf): Promise<boolean> {
  return (await rows(sql, TAKE_PROBE, [account_id, host])).length > 0;
}

const PARKED_AT_ONCE = 1_000;

const PARK = {
  name: 'park-webhook-streams',
  text: `WITH due AS (
      SELECT id FROM webhook_streams
       WHERE next_at <= now() AND (lease_until IS NULL OR lease_until <= now()) AND account_id = $1 AND host = $2
       LIMIT ${PARKED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE webhook_streams s SET next_at = now() + ($3 + random() * $4) * interval '1 ms' FROM due WHERE s.id = due.id`,
};

/**
 * Nobody looks at the due streams of a host again before `waitMs` have passed: a long backlog must not be in everybody's way. They come
 * back spread over `spreadMs`, so that chance decides which of them probes.
 */
export async function parkStreams(sql: Sql, of: HostOf, waitMs: number, spreadMs: number): Promise<void> {
  let parked: number;
  do {
    const result = await sql.query({ ...PARK, values: [of.account_id, of.host, Math.max(waitMs, 0), spreadMs] });
    parked = result.rowCount ?? 0;
  } while (parked === PARKED_AT_ONCE);
}

/** Closed breakers that nobody told of for a day. @returns how many there were. */
export async function purgeOldHosts(sql: Sql): Promise<number> {
  const result = await sql.query(
    `DELETE FROM webhook_hosts WHERE (account_id, host) IN (
       SELECT account_id, host FROM webhook_hosts WHERE window_started_at < now() - interval '1 day'
         AND (open_until IS NULL OR open_until < now() - interval '1 day') LIMIT 2000 FOR UPDATE SKIP LOCKED)`,
  );
  return result.rowCount ?? 0;
}
