import { Column, Entity, PrimaryColumn } from 'typeorm';

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
