import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

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
