import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  type AwaitedDelivery,
  type CampaignRecord,
  type DeliveryRecord,
  type SingleRecord,
} from '../domain/delivery-record.js';

/**
 * The outbox as two CTEs, `outbox_streams` and `outbox_deliveries`, over a jsonb array of DeliveryRecord, for a statement that
 * also writes the calls themselves: foreign keys are checked at its end.
 * @param parameter `$3`, for example.
 */
export function outboxCte(parameter: string): string {
  const records = `jsonb_to_recordset(${parameter}::jsonb) AS r(id uuid, account_id integer, call_id uuid, type text, event text,
      sequence integer, method text, url text, host text, headers_sealed text, body text, created_at timestamptz)`;
  // A lower next_at shows a dispatcher with a lease that deliveries were added (see webhook-streams.repository.ts).
  // A call that is finished twice has one post-call webhook.
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

/**
 * The streams and deliveries of invocations as two CTEs, `tool_streams` and `tool_deliveries`, over a jsonb array of
 * ToolDeliveryRecord, for a statement that also writes the invocation itself.
 * @param parameter `$3`, for example.
 */
export function toolDeliveriesCte(parameter: string): string {
  const records = `jsonb_to_recordset(${parameter}::jsonb) AS r(id uuid, account_id integer, call_id uuid, invocation_id uuid,
      sequence integer, method text, url text, host text, headers_sealed text, body text, request_sealed text, hold_ms integer)`;
  return `tool_streams AS (
      INSERT INTO webhook_streams (account_id, invocation_id, url, host, next_at)
      SELECT DISTINCT ON (r.invocation_id, r.url) r.account_id, r.invocation_id, r.url, r.host, now() + r.hold_ms * interval '1 ms'
        FROM ${records} ORDER BY r.invocation_id, r.url, r.hold_ms
      RETURNING id, invocation_id, url),
    tool_deliveries AS (
      INSERT INTO webhook_deliveries
        (id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body, request_sealed, next_at)
      SELECT r.id, s.id, r.account_id, r.call_id, 'tool-action', 'invoked', r.sequence, r.method, r.url,
             decode(r.headers_sealed, 'base64'), r.body, decode(r.request_sealed, 'base64'), now() + r.hold_ms * interval '1 ms'
        FROM ${records} JOIN tool_streams s ON s.invocation_id = r.invocation_id AND s.url = r.url)`;
}

/** CTEs that make the held deliveries of the invocation `parameter` due now. */
export const releaseCte = (parameter: string): string => `released AS (
      UPDATE webhook_streams SET next_at = least(next_at, now()) WHERE invocation_id = ${parameter} AND next_at > now()
      RETURNING id),
    due AS (
      UPDATE webhook_deliveries d SET next_at = now() FROM webhook_streams s
       WHERE s.invocation_id = ${parameter} AND d.stream_id = s.id AND d.state = 'pending' AND d.attempts = 0)`;

/** The stream is never due because of it. A repetition after a crash of the dialer has the same id and is one more attempt. */
const LOG_AWAITED = {
  name: 'log-awaited-delivery',
  text: `WITH stream AS (
      INSERT INTO webhook_streams (account_id, call_id, url, host) VALUES ($2, $3, $5, $6)
      ON CONFLICT (call_id, url) DO UPDATE SET host = excluded.host RETURNING id),
    delivery AS (
      INSERT INTO webhook_deliveries AS d (id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body,
          state, attempts, last_status, last_error, created_at, delivered_at)
      SELECT $1, stream.id, $2, $3, 'pre-call', 'requested', 0, $4, $5, decode($7, 'base64'), $8, $9, 1, $10, $11, $12,
          CASE WHEN $9 = 'delivered' THEN now() END FROM stream
      ON CONFLICT (id) DO UPDATE SET state = excluded.state, attempts = d.attempts + 1, last_status = excluded.last_status,
          last_error = excluded.last_error, delivered_at = excluded.delivered_at
      RETURNING id, attempts)
    INSERT INTO webhook_attempts (delivery_id, attempt, status, latency_ms, error, response_head, request_headers)
    SELECT id, attempts, $10, $13, $11, $14, $15 FROM delivery`,
};

/** The webhooks of a campaign to one URL are a stream: they arrive in their order. */
const WRITE_OF_CAMPAIGN = {
  name: 'write-campaign-delivery',
  text: `WITH stream AS (
      INSERT INTO webhook_streams (account_id, campaign_id, url, host, next_at) VALUES ($2, $3, $4, $5, now())
      ON CONFLICT (campaign_id, url) WHERE campaign_id IS NOT NULL
        DO UPDATE SET next_at = least(webhook_streams.next_at, excluded.next_at) RETURNING id)
    INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, headers_sealed, body, created_at)
    SELECT $1, stream.id, $2, 'campaign', $6, $7, $8, $4, decode($9, 'base64'), $10, $11 FROM stream`,
};

/** In a stream for it alone. */
const WRITE_SINGLE = {
  name: 'write-single-delivery',
  text: `WITH stream AS (
      INSERT INTO webhook_streams (account_id, url, host, next_at) VALUES ($2, $6, $7, now()) RETURNING id)
    INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, headers_sealed, body, created_at)
    SELECT $1, stream.id, $2, $3, $4, $5, $8, $6, decode($9, 'base64'), $10, $11 FROM stream`,
};

/** Adds deliveries to the outbox. Statements that write calls or invocations include the CTEs of this file instead. */
@Injectable()
export class WebhookOutboxRepository {
  constructor(private readonly database: Database) {}

  /** Writes deliveries in one statement inside the caller's transaction: they exist exactly when the change that they report does. */
  async write(records: readonly DeliveryRecord[], tx: Sql): Promise<void> {
    if (records.length > 0) await this.database.rows(WRITE, [JSON.stringify(records)], tx);
  }

  /** The webhook of a campaign, in the transaction that changes its status. */
  async writeOfCampaign({ target, ...record }: CampaignRecord, tx: Sql): Promise<void> {
    const stream = [record.id, record.accountId, record.campaignId, target.url, new URL(target.url).host];
    const delivery = [record.event, record.sequence, target.method, target.headers_sealed ?? null];
    await this.database.rows(WRITE_OF_CAMPAIGN, [...stream, ...delivery, record.body, record.createdAt], tx);
  }

  /** A webhook of neither a call nor a campaign. */
  async writeSingle({ target, ...record }: SingleRecord, tx: Sql): Promise<void> {
    const delivery = [record.id, record.accountId, record.type, record.event, record.sequence];
    const request = [target.url, new URL(target.url).host, target.method, target.headers_sealed ?? null];
    await this.database.rows(WRITE_SINGLE, [...delivery, ...request, record.body, record.createdAt], tx);
  }

  /** Adds a delivery that was made outside of the outbox to the log. */
  async logAwaited({ target, ...delivery }: AwaitedDelivery, tx: Sql): Promise<void> {
    const { method, url, headers_sealed: headers = null } = target;
    const first = [delivery.id, delivery.accountId, delivery.callId, method, url, new URL(url).host, headers];
    const result = [delivery.body, delivery.state, delivery.status, delivery.error, delivery.createdAt];
    const attempt = [delivery.latencyMs, delivery.responseHead, JSON.stringify(delivery.requestHeaders)];
    await this.database.rows(LOG_AWAITED, [...first, ...result, ...attempt], tx);
  }
}
