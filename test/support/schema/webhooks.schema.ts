import { Column, CreateDateColumn, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { DeliveryState, WebhookType } from '@app/webhooks';

/* Tables of libs/webhooks that only statements use, for the check of the migrated schema. */

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
  rareState: DeliveryState | null;

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

/** The deliveries of a call, of an invocation of a tool or of a campaign to one URL: they are sent in the order of their sequence. */
@Entity('webhook_streams')
export class WebhookStreamEntity {
  /** bigint: a string in JavaScript. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('uuid', { name: 'call_id', nullable: true })
  callId: string | null;

  @Column('uuid', { name: 'invocation_id', nullable: true })
  invocationId: string | null;

  @Column('integer', { name: 'campaign_id', nullable: true })
  campaignId: number | null;

  @Column('text')
  url: string;

  /** With the port when it is not the default port of the scheme. */
  @Column('text')
  host: string;

  /** When a delivery is due; null: no delivery is open. Equals `leaseUntil` while a dispatcher holds the lease. */
  @Column('timestamptz', { name: 'next_at', nullable: true })
  nextAt: Date | null;

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** The circuit breaker of an account's requests to one host (see domain/breaker.ts). */
@Entity('webhook_hosts')
export class WebhookHostEntity {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('text')
  host: string;

  @Column('timestamptz', { name: 'window_started_at', default: () => 'now()' })
  windowStartedAt: Date;

  @Column('integer', { default: 0 })
  requests: number;

  @Column('integer', { default: 0 })
  failures: number;

  @Column('timestamptz', { name: 'open_until', nullable: true })
  openUntil: Date | null;

  @Column('integer', { name: 'open_count', default: 0 })
  openCount: number;

  @Column('timestamptz', { name: 'probe_until', nullable: true })
  probeUntil: Date | null;
}
