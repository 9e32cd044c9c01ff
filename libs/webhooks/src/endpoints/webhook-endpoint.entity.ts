import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DisabledReason } from '../domain/endpoint-health.js';

/**
 * A target of an account's webhooks and queued tool actions: a URL without query and fragment. Queries vary by call (`?order=17`) and
 * contain tokens; a whole origin would be too coarse, because one dead hook of `hooks.example.com` does not affect the others.
 */
@Entity('webhook_endpoints')
export class WebhookEndpointEntity {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('text')
  url: string;

  /** An identity column: PostgreSQL fills it in. */
  @Column({ type: 'integer', insert: false, update: false })
  id: number;

  /** Since when all attempts fail; null while the endpoint works. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince: Date | null;

  @Column('timestamptz', { name: 'last_failure_at', nullable: true })
  lastFailureAt: Date | null;

  /** Exact to a minute. */
  @Column('timestamptz', { name: 'last_success_at', nullable: true })
  lastSuccessAt: Date | null;

  /** Of the last answer that was stored; null when there was none. */
  @Column('integer', { name: 'last_status', nullable: true })
  lastStatus: number | null;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: DisabledReason | null;

  /** Time of the last report of a dispatcher; 30 days later the row is deleted unless the endpoint is disabled. */
  @Column('timestamptz', { name: 'seen_at', default: () => 'now()' })
  seenAt: Date;
}
