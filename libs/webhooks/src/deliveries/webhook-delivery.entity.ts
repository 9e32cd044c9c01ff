import { Column, CreateDateColumn, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { DeliveryState, RareState, WebhookType } from '../domain/delivery-record.js';

/** One event for one target: a row of the outbox until it is delivered, then its log. */
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  /** The `webhook-id`. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('bigint', { name: 'stream_id' })
  streamId: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('uuid', { name: 'call_id', nullable: true })
  callId: string | null;

  @Column('text')
  type: WebhookType;

  @Column('text')
  event: string;

  @Column('integer')
  sequence: number;

  @Column('text')
  method: string;

  @Column('text')
  url: string;

  /** The user's headers, encrypted with the context `webhook-headers`. */
  @Column('bytea', { name: 'headers_sealed', nullable: true })
  headersSealed: Buffer | null;

  /** The exact text that every attempt sends and signs. */
  @Column('text')
  body: string;

  /** What is sent, encrypted, where `url` and `body` are redacted. See sealRequest. */
  @Column('bytea', { name: 'request_sealed', nullable: true })
  requestSealed: Buffer | null;

  @Column('text', { default: 'pending' })
  state: DeliveryState;

  /** `state` while it is rare, for an index; a trigger sets it. An index with `state` would make every update write to all indexes. */
  @Column('text', { name: 'rare_state', nullable: true })
  rareState: RareState | null;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('integer', { name: 'slow_tries', default: 0 })
  slowTries: number;

  @Column('timestamptz', { name: 'next_at', default: () => 'now()' })
  nextAt: Date;

  @Column('integer', { name: 'last_status', nullable: true })
  lastStatus: number | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt: Date | null;

  @Column('timestamptz', { name: 'replayed_at', nullable: true })
  replayedAt: Date | null;
}

/** One request of a delivery, and its answer. Kept for 30 days. */
@Entity('webhook_attempts')
export class WebhookAttemptEntity {
  /** bigint: a string in JavaScript. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('uuid', { name: 'delivery_id' })
  deliveryId: string;

  /** From 1. */
  @Column('integer')
  attempt: number;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  /** Null: no answer. */
  @Column('integer', { nullable: true })
  status: number | null;

  @Column('integer', { name: 'latency_ms' })
  latencyMs: number;

  @Column('text', { nullable: true })
  error: string | null;

  /** The first 16 KiB of the answer. */
  @Column('text', { name: 'response_head', nullable: true })
  responseHead: string | null;

  /** As sent, without the values of the user's headers. */
  @Column('jsonb', { name: 'request_headers', default: {} })
  requestHeaders: Record<string, string>;
}
