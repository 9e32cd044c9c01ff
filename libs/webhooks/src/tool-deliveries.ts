/** What an invocation queues, as plain JSON: it travels to PostgreSQL as one jsonb parameter. */
export interface ToolDeliveryRecord {
  /** Of the delivery: its `webhook-id` and `Idempotency-Key`. */
  id: string;
  account_id: number;
  /** Null outside of a call. */
  call_id: string | null;
  invocation_id: string;
  /** Orders what one invocation sends to one URL. */
  sequence: number;
  method: string;
  url: string;
  /** With the port when it is not the scheme's own. */
  host: string;
  /** base64 */
  headers_sealed: string | null;
  /** Empty: sent without a body. */
  body: string;
  /** Until its first try. */
  hold_ms: number;
}

/**
 * The streams and deliveries of invocations as two CTEs, `tool_streams` and `tool_deliveries`, over a jsonb array of
 * ToolDeliveryRecord, for a statement that also writes the invocation itself.
 * @param parameter `$3`, for example.
 */
export function toolDeliveriesCte(parameter: string): string {
  const records = `jsonb_to_recordset(${parameter}::jsonb) AS r(id uuid, account_id integer, call_id uuid, invocation_id uuid,
      sequence integer, method text, url text, host text, headers_sealed text, body text, hold_ms integer)`;
  return `tool_streams AS (
      INSERT INTO webhook_streams (account_id, invocation_id, url, host, next_at)
      SELECT DISTINCT ON (r.invocation_id, r.url) r.account_id, r.invocation_id, r.url, r.host, now() + r.hold_ms * interval '1 ms'
        FROM ${records} ORDER BY r.invocation_id, r.url, r.hold_ms
      RETURNING id, invocation_id, url),
    tool_deliveries AS (
      INSERT INTO webhook_deliveries
        (id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body, next_at)
      SELECT r.id, s.id, r.account_id, r.call_id, 'tool-action', 'invoked', r.sequence, r.method, r.url,
             decode(r.headers_sealed, 'base64'), r.body, now() + r.hold_ms * interval '1 ms'
        FROM ${records} JOIN tool_streams s ON s.invocation_id = r.invocation_id AND s.url = r.url)`;
}

/** CTEs that let what was held of the invocation `parameter` go now. */
export const releaseCte = (parameter: string): string => `released AS (
      UPDATE webhook_streams SET next_at = least(next_at, now()) WHERE invocation_id = ${parameter} AND next_at > now()
      RETURNING id),
    due AS (
      UPDATE webhook_deliveries d SET next_at = now() FROM webhook_streams s
       WHERE s.invocation_id = ${parameter} AND d.stream_id = s.id AND d.state = 'pending' AND d.attempts = 0)`;
