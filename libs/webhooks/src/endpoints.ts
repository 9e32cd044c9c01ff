import { rows, type Sql } from '@app/database';

/**
 * Where an account's webhooks and queued tool actions go: a URL without its query and fragment. Queries differ from call to call
 * (`?order=17`) and carry tokens; a whole origin would be too much, because one hook of `hooks.example.com` that is gone says
 * nothing about the next one.
 */
export interface WebhookEndpoint {
  id: number;
  url: string;
  /** What is due for a disabled one is not sent: it ends as `dead` and can be replayed when the endpoint is enabled. */
  state: EndpointState;
  disabled_at: Date | null;
  /** `gone`: it answered 410. `failing`: nothing but failures for 120 hours. */
  disabled_reason: DisabledReason | null;
  /** Since when there are failures only; null while it works. */
  first_failure_at: Date | null;
  last_failure_at: Date | null;
  /** Exact to a minute. */
  last_success_at: Date | null;
  /** Of the last answer that was noted; null when there was none. */
  last_status: number | null;
}

export const ENDPOINT_STATES = ['active', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];
export type DisabledReason = 'gone' | 'failing';

/** `last_error` of what was due for a disabled endpoint. */
export const DISABLED_SENTENCE: Record<DisabledReason, string> = {
  gone: 'Not sent: the endpoint is disabled because it answered 410 (Gone).',
  failing: 'Not sent: the endpoint is disabled because nothing but failures came of it for 120 hours.',
};

/** `http` and `https` URLs as they are stored. */
export const endpointOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

/** The same of a column. */
export const endpointSql = (column: string): string => `split_part(split_part(${column}, '?', 1), '#', 1)`;

const COLUMNS = `id, url, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END AS state, disabled_at, disabled_reason,
  failing_since AS first_failure_at, last_failure_at, last_success_at, last_status`;

export interface EndpointFilter {
  state?: EndpointState;
  limit: number;
  offset: number;
}

const ONE = {
  name: 'one-webhook-endpoint',
  text: `SELECT ${COLUMNS} FROM webhook_endpoints WHERE account_id = $1 AND id = $2`,
};

const LIST = {
  name: 'list-webhook-endpoints',
  text: `SELECT ${COLUMNS} FROM webhook_endpoints
     WHERE account_id = $1 AND ($2::text IS NULL OR (disabled_at IS NULL) = ($2 = 'active')) ORDER BY id DESC LIMIT $3 OFFSET $4`,
};

const COUNT = {
  name: 'count-webhook-endpoints',
  text: `SELECT count(*)::integer AS total FROM webhook_endpoints
     WHERE account_id = $1 AND ($2::text IS NULL OR (disabled_at IS NULL) = ($2 = 'active'))`,
};

/** Those that something was sent to in the last 30 days, and the disabled ones; the newest first. */
export function listEndpoints(sql: Sql, accountId: number, filter: EndpointFilter): Promise<WebhookEndpoint[]> {
  return rows<WebhookEndpoint>(sql, LIST, [accountId, filter.state ?? null, filter.limit, filter.offset]);
}

export async function countEndpoints(sql: Sql, accountId: number, state?: EndpointState): Promise<number> {
  const [counted] = await rows<{ total: number }>(sql, COUNT, [accountId, state ?? null]);
  return counted?.total ?? 0;
}

/** Undefined: the account has no such endpoint. */
export async function findEndpoint(sql: Sql, accountId: number, id: number): Promise<WebhookEndpoint | undefined> {
  const [found] = await rows<WebhookEndpoint>(sql, ONE, [accountId, id]);
  return found;
}

const DISABLED_AMONG = {
  name: 'disabled-webhook-endpoints',
  text: `SELECT url FROM webhook_endpoints WHERE account_id = $1 AND url = ANY ($2::text[]) AND disabled_at IS NOT NULL`,
};

/** Which of these URLs, with or without a query, belong to a disabled endpoint; what is replayed to one ends as `dead` again. */
export async function disabledAmong(sql: Sql, accountId: number, urls: readonly string[]): Promise<string[]> {
  const found = await rows<{ url: string }>(sql, DISABLED_AMONG, [accountId, urls.map(endpointOf)]);
  const disabled = new Set(found.map(({ url }) => url));
  return urls.filter((url) => disabled.has(endpointOf(url)));
}

const ENABLE = {
  name: 'enable-webhook-endpoint',
  text: `UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL, seen_at = now()
     WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
};

/**
 * Lets webhooks go to it again, and the hours of failures be counted anew. Dispatchers look at every claim. What ended meanwhile
 * stays `dead` until it is replayed. Undefined: the account has no such endpoint.
 */
export async function enableEndpoint(sql: Sql, accountId: number, id: number): Promise<WebhookEndpoint | undefined> {
  const [enabled] = await rows<WebhookEndpoint>(sql, ENABLE, [accountId, id]);
  return enabled;
}
