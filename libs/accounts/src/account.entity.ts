import { Check, Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique, UpdateDateColumn } from 'typeorm';

/** An account with its limits and retention times. */
@Entity('accounts')
@Check('accounts_concurrent_calls_check', 'concurrent_calls > 0')
@Check('accounts_calls_per_second_check', 'calls_per_second > 0')
@Check('accounts_queued_calls_check', 'queued_calls > 0')
@Check('accounts_requests_per_minute_check', 'requests_per_minute >= 0')
@Check('accounts_storage_bytes_check', 'storage_bytes >= 0')
@Check('accounts_recordings_days_check', 'recordings_days > 0')
@Check('accounts_transcripts_days_check', 'transcripts_days > 0')
@Check('accounts_deliveries_days_check', 'deliveries_days > 0')
@Check('accounts_documents_days_check', 'documents_days > 0')
@Unique('accounts_name_key', ['name'])
export class AccountEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  name: string;

  /** Live calls; more wait in order. */
  @Column('integer', { name: 'concurrent_calls', default: 10 })
  concurrentCalls: number;

  /** Calls started per second; more wait in order. */
  @Column('double precision', { name: 'calls_per_second', default: 5 })
  callsPerSecond: number;

  /** Calls that wait to be dialled. */
  @Column('integer', { name: 'queued_calls', default: 100_000 })
  queuedCalls: number;

  /** Of each token; 0: no limit, null: the installation's. */
  @Column('integer', { name: 'requests_per_minute', nullable: true })
  requestsPerMinute: number | null;

  /** Spend per UTC day in micro-USD after which no call is placed; null: unlimited. bigint, so text. */
  @Column('bigint', { name: 'daily_spend_micros', nullable: true })
  dailySpendMicros: string | null;

  /** Of recordings and of files of knowledge bases; null: unlimited. bigint, so text. */
  @Column('bigint', { name: 'storage_bytes', nullable: true, default: 53_687_091_200 })
  storageBytes: string | null;

  /** E.164 prefixes that may be called; empty: all that are not denied. */
  @Column('text', { name: 'destinations_allow', array: true, default: [] })
  destinationsAllow: string[];

  @Column('text', { name: 'destinations_deny', array: true, default: [] })
  destinationsDeny: string[];

  /** Days after which recordings are deleted; null: never. */
  @Column('integer', { name: 'recordings_days', nullable: true })
  recordingsDays: number | null;

  @Column('integer', { name: 'transcripts_days', nullable: true })
  transcriptsDays: number | null;

  @Column('integer', { name: 'deliveries_days', nullable: true, default: 30 })
  deliveriesDays: number | null;

  @Column('integer', { name: 'documents_days', nullable: true })
  documentsDays: number | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
