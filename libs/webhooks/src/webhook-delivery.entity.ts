import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryState, WebhookType } from './domain/delivery-record.js';

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

  @Column('text', { default: 'pending' })
  state: DeliveryState;

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
