import { writeAudit } from '@app/audit';
import { rows, type Sql } from '@app/database';
import { endpointAfter, type EndpointHealth, type EndpointNews } from './endpoint-health.js';
import type { DisabledReason } from './endpoints.js';

export interface NewsOfEndpoint extends EndpointNews {
  account_id: number;
  /** Without query and fragment. */
  url: string;
  /** What becomes known by this: the targets of calls always, those of tools (whose paths may differ by call) when they fail. */
  create: boolean;
}

/** As it is after the news. */
export interface KnownEndpoint {
  id: number;
  account_id: number;
  url: string;
  disabledReason: DisabledReason | null;
  /** By this news. */
  disabledNow: boolean;
}

const ORDER = 'ORDER BY account_id, url';

// Only what is missing: an INSERT that meets a conflict uses up an id.
const ADD = `INSERT INTO webhook_endpoints (account_id, url)
  SELECT n.account_id, n.url FROM unnest($1::integer[], $2::text[]) AS n(account_id, url) JOIN accounts a ON a.id = n.account_id
   WHERE NOT EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.account_id = n.account_id AND e.url = n.url) ${ORDER}
  ON CONFLICT DO NOTHING`;

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::double precision`;

const READ = `SELECT id, account_id, url, ${ms('failing_since')} AS failing_since, ${ms('last_failure_at')} AS last_failure_at,
    ${ms('last_success_at')} AS last_success_at, last_status, ${ms('disabled_at')} AS disabled_at, disabled_reason,
    ${ms('clock_timestamp()')} AS now
  FROM webhook_endpoints WHERE (account_id, url) IN (SELECT * FROM unnest($1::integer[], $2::text[])) ${ORDER} FOR UPDATE`;

interface EndpointRow {
  id: number;
  account_id: number;
  url: string;
  failing_since: number | null;
  last_failure_at: number | null;
  last_success_at: number | null;
  last_status: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  now: number;
}

const STORE = `UPDATE webhook_endpoints e
    SET failing_since = to_timestamp(i.failing_since / 1000), last_failure_at = to_timestamp(i.last_failure_at / 1000),
        last_success_at = to_timestamp(i.last_success_at / 1000), last_status = i.last_status,
        disabled_at = to_timestamp(i.disabled_at / 1000), disabled_reason = i.disabled_reason, seen_at = now()
   FROM jsonb_to_recordset($1::jsonb) AS i(account_id integer, url text, failing_since double precision, last_failure_at double precision,
     last_success_at double precision, last_status integer, disabled_at double precision, disabled_reason text)
  WHERE e.account_id = i.account_id AND e.url = i.url`;

/** Adds the news to what all dispatchers know, on the database's clock, and disables what has to be. Inside a transaction. */
export async function storeEndpointNews(sql: Sql, news: readonly NewsOfEndpoint[]): Promise<KnownEndpoint[]> {
  const keys = (of: readonly NewsOfEndpoint[]) => [of.map((one) => one.account_id), of.map(({ url }) => url)];
  await rows(sql, { text: ADD }, keys(news.filter(({ create }) => create)));
  const found = await rows<EndpointRow>(sql, { text: READ }, keys(news));
  const moved = found.map((row) => ({ row, after: endpointAfter(healthOf(row), newsOf(row, news), row.now) }));
  await rows(sql, { text: STORE }, [JSON.stringify(moved.map(({ row, after }) => stored(row, after)))]);
  const after = moved.map((one) => known(one.row, one.after));
  for (const endpoint of after) if (endpoint.disabledNow) await auditDisabled(sql, endpoint);
  return after;
}

const NO_NEWS: EndpointNews = { succeeded: false, failed: false, gone: false, status: null };

const newsOf = (row: EndpointRow, news: readonly NewsOfEndpoint[]): EndpointNews =>
  news.find((one) => one.account_id === row.account_id && one.url === row.url) ?? NO_NEWS;

const healthOf = (row: EndpointRow): EndpointHealth => ({
  failingSince: row.failing_since,
  lastFailureAt: row.last_failure_at,
  lastSuccessAt: row.last_success_at,
  lastStatus: row.last_status,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
});

const stored = ({ account_id, url }: EndpointRow, health: EndpointHealth): Record<string, unknown> => ({
  account_id,
  url,
  failing_since: health.failingSince,
  last_failure_at: health.lastFailureAt,
  last_success_at: health.lastSuccessAt,
  last_status: health.lastStatus,
  disabled_at: health.disabledAt,
  disabled_reason: health.disabledReason,
});

const known = ({ id, account_id, url, disabled_at }: EndpointRow, after: EndpointHealth): KnownEndpoint => ({
  id,
  account_id,
  url,
  disabledReason: after.disabledReason,
  disabledNow: after.disabledAt !== null && disabled_at === null,
});

/** Without the path: that of a webhook is often its secret. */
const auditDisabled = (sql: Sql, { id, account_id, url, disabledReason }: KnownEndpoint): Promise<void> =>
  writeAudit(sql, {
    accountId: account_id,
    actor: { kind: 'system' },
    action: 'webhook_endpoint.disabled',
    subject: { kind: 'webhook_endpoint', id },
    details: { reason: disabledReason, host: new URL(url).host },
  });

/** Endpoints that work and that nothing was sent to for 30 days. @returns how many there were. */
export async function purgeOldEndpoints(sql: Sql): Promise<number> {
  const result = await sql.query(
    `DELETE FROM webhook_endpoints WHERE (account_id, url) IN (
       SELECT account_id, url FROM webhook_endpoints WHERE disabled_at IS NULL AND seen_at < now() - interval '30 days'
        ORDER BY seen_at LIMIT 2000 FOR UPDATE SKIP LOCKED) AND disabled_at IS NULL`,
  );
  return result.rowCount ?? 0;
}
