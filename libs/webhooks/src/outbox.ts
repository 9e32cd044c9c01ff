import { newId } from '@app/common';
import { rows, type Sql, type StoredWebhook } from '@app/database';
import { postCallBody, statusBody } from './payload-limits.js';

/** What calls tell. */
export type CallWebhookType = 'call-status' | 'post-call';

/** `tool-action`: an action of a tool that nobody waits for (see tool-deliveries.ts). `test`: what somebody asked for to try a target. */
export const WEBHOOK_TYPES = ['call-status', 'post-call', 'tool-action', 'test'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** What a receiver sees under `event`; `ended` is the post-call one. */
export type CallEvent =
  'initiated' | 'ringing' | 'in-progress' | 'completed' | 'failed' | 'busy' | 'no-answer' | 'cancelled' | 'ended';

/** One event for one target. */
export interface OutboxEvent {
  accountId: number;
  callId: string;
  type: CallWebhookType;
  event: CallEvent;
  /** Numbers the webhooks of a call from 1 upwards. */
  sequence: number;
  createdAt: Date;
  target: StoredWebhook;
  /** What the receiver gets under `data`. */
  data: Record<string, unknown>;
  /** Of a post-call: where the whole transcript is, for a body that has not room for it. */
  transcriptUrl?: string;
}

/** A row of `webhook_deliveries` and its stream, as plain JSON: it travels to PostgreSQL as one jsonb parameter. */
export interface DeliveryRecord {
  id: string;
  account_id: number;
  call_id: string;
  type: CallWebhookType;
  event: CallEvent;
  sequence: number;
  method: string;
  url: string;
  /** With the port when it is not the scheme's own. */
  host: string;
  /** base64 */
  headers_sealed: string | null;
  body: string;
  created_at: string;
}

/** The row of an event. Its body is the exact text that every attempt sends and signs. */
export function deliveryRecord(event: OutboxEvent): DeliveryRecord {
  const id = newId();
  const createdAt = event.createdAt.toISOString().replace('Z', '+00:00');
  const render = (data: Record<string, unknown>) =>
    JSON.stringify({
      id,
      type: event.type,
      event: event.event,
      created_at: createdAt,
      sequence: event.sequence,
      data,
    });
  return {
    id,
    account_id: event.accountId,
    call_id: event.callId,
    type: event.type,
    event: event.event,
    sequence: event.sequence,
    method: event.target.method,
    url: event.target.url,
    host: new URL(event.target.url).host,
    headers_sealed: event.target.headers_sealed ?? null,
    body: event.type === 'post-call' ? postCallBody(event, render) : statusBody(event.data, render),
    created_at: createdAt,
  };
}

/**
 * The outbox as two CTEs, `outbox_streams` and `outbox_deliveries`, over a jsonb array of DeliveryRecord, for a statement that
 * also writes the calls themselves: foreign keys are checked at its end.
 * @param parameter `$3`, for example.
 */
export function outboxCte(parameter: string): string {
  const records = `jsonb_to_recordset(${parameter}::jsonb) AS r(id uuid, account_id integer, call_id uuid, type text, event text,
      sequence integer, method text, url text, host text, headers_sealed text, body text, created_at timestamptz)`;
  // A lower next_at is how a dispatcher that holds the lease right now learns that something was added (see streams.ts).
  // The post-call webhook is written once, whoever finishes the call again.
  return `outbox_streams AS (
      INSERT INTO webhook_streams (account_id, call_id, url, host, next_at)
      SELECT DISTINCT ON (r.call_id, r.url) r.account_id, r.call_id, r.url, r.host, now() FROM ${records}
       ORDER BY r.call_id, r.url
      ON CONFLICT (call_id, url) DO UPDATE SET next_at = least(webhook_streams.next_at, excluded.next_at)
      RETURNING id, call_id, url),
    outbox_deliveries AS (
      INSERT INTO webhook_deliveries
        (id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body, created_at)
      SELECT r.id, s.id, r.account_id, r.call_id, r.type, r.event, r.sequence, r.method, r.url,
             decode(r.headers_sealed, 'base64'), r.body, r.created_at
        FROM ${records} JOIN outbox_streams s ON s.call_id = r.call_id AND s.url = r.url
      ON CONFLICT (call_id) WHERE type = 'post-call' DO NOTHING
      RETURNING id)`;
}

const WRITE = {
  name: 'write-deliveries',
  text: `WITH ${outboxCte('$1')} SELECT count(*) FROM outbox_deliveries`,
};

/** One statement inside the caller's transaction: the deliveries exist exactly when what they tell of does. */
export async function writeDeliveries(sql: Sql, records: readonly DeliveryRecord[]): Promise<void> {
  if (records.length > 0) await rows(sql, WRITE, [JSON.stringify(records)]);
}
