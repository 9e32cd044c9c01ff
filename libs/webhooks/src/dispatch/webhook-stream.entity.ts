import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

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
