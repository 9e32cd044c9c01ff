import { newId, type Encryption } from '@app/common';
import type { Sql } from '@app/database';
import {
  deliveryRecord,
  newWebhookSecret,
  WebhookOutboxRepository,
  type CallEvent,
  type DeliveryRecord,
  type StoredWebhook,
} from '@app/webhooks';
import type { Pool } from 'pg';
import { databaseOver } from './database-over.js';

const EVENTS: CallEvent[] = ['initiated', 'ringing', 'in-progress', 'completed'];

/** An account with an agent, a number and a signing secret, whose calls have webhooks. */
export class WebhookAccount {
  private readonly outbox: WebhookOutboxRepository;

  private constructor(
    private readonly pool: Pool,
    private readonly encryption: Encryption,
    readonly id: number,
    private readonly agentId: number,
    private readonly numberId: number,
  ) {
    this.outbox = new WebhookOutboxRepository(databaseOver(pool));
  }

  static async create(pool: Pool, encryption: Encryption): Promise<WebhookAccount> {
    const { rows } = await pool.query<{ account: number; agent: number; number: number }>(
      `WITH a AS (INSERT INTO accounts (name) VALUES ($1) RETURNING id),
            g AS (INSERT INTO agents (account_id, name) SELECT id, 'agent' FROM a RETURNING id),
            n AS (INSERT INTO phone_numbers (account_id, name, e164) SELECT id, 'main', '+15550001111' FROM a RETURNING id)
       SELECT a.id AS account, g.id AS agent, n.id AS number FROM a, g, n`,
      [newId()],
    );
    const made = rows[0]!;
    return new WebhookAccount(pool, encryption, made.account, made.agent, made.number);
  }

  async addSecret(): Promise<string> {
    const secret = newWebhookSecret();
    const sealed = this.encryption.encrypt(secret, 'webhook-secret');
    const text = 'INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)';
    await this.pool.query(text, [this.id, sealed]);
    return secret;
  }

  async createCall(): Promise<string> {
    const id = newId();
    await this.pool.query(
      `INSERT INTO calls (id, account_id, agent_id, number_id, to_number, from_number, agent_name)
       VALUES ($1, $2, $3, $4, '+15550002222', '+15550001111', 'agent')`,
      [id, this.id, this.agentId, this.numberId],
    );
    return id;
  }

  /** Writes the status webhooks 1 to `count` of a call in one transaction. */
  async writeStatuses(callId: string, target: StoredWebhook, count: number): Promise<DeliveryRecord[]> {
    const records = this.statuses(callId, target, count);
    await this.outbox.write(records, this.pool);
    return records;
  }

  /** Status webhooks of `count` calls in the transaction of the caller, which chooses the target by the number of the call. */
  async writeBacklog(sql: Sql, calls: number, events: number, target: (n: number) => StoredWebhook): Promise<void> {
    const ids = Array.from({ length: calls }, () => newId());
    await sql.query(
      `INSERT INTO calls (id, account_id, agent_id, number_id, to_number, from_number, agent_name, status, ended_at)
       SELECT id, $2, $3, $4, '+15550002222', '+15550001111', 'agent', 'completed', now() FROM unnest($1::uuid[]) AS made(id)`,
      [ids, this.id, this.agentId, this.numberId],
    );
    const records = ids.flatMap((id, n) => this.statuses(id, target(n), events));
    await this.outbox.write(records, sql);
  }

  /** One webhook of a call in its own transaction; the last one is the post-call. */
  async writeEvent(callId: string, target: StoredWebhook, sequence: number, last = false): Promise<DeliveryRecord> {
    const event = last ? 'ended' : EVENTS[(sequence - 1) % EVENTS.length]!;
    const record = this.record(callId, target, sequence, event);
    await this.outbox.write([record], this.pool);
    return record;
  }

  async writePostCall(callId: string, target: StoredWebhook, sequence: number): Promise<DeliveryRecord> {
    const record = this.record(callId, target, sequence, 'ended');
    await this.outbox.write([record], this.pool);
    return record;
  }

  private statuses(callId: string, target: StoredWebhook, count: number): DeliveryRecord[] {
    return Array.from({ length: count }, (_, index) =>
      this.record(callId, target, index + 1, EVENTS[index % EVENTS.length]!),
    );
  }

  private record(callId: string, target: StoredWebhook, sequence: number, event: CallEvent): DeliveryRecord {
    return deliveryRecord({
      accountId: this.id,
      callId,
      type: event === 'ended' ? 'post-call' : 'call-status',
      event,
      sequence,
      createdAt: new Date(),
      target,
      data: { call_id: callId, status: event === 'ended' ? 'completed' : event },
    });
  }
}

/** The live signing secrets of an account, newest first. */
export async function currentSecrets(pool: Pool, encryption: Encryption, accountId: number): Promise<string[]> {
  const { rows } = await pool.query<{ secret_sealed: Buffer }>(
    `SELECT secret_sealed FROM webhook_secrets
      WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
    [accountId],
  );
  return rows.map((row) => encryption.decrypt(row.secret_sealed, 'webhook-secret'));
}
