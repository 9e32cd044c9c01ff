import type { Redaction } from '@app/privacy';
import { Check, Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique, UpdateDateColumn } from 'typeorm';

/** `message` null: a sentence in the language; `language` null: English. */
export interface ListenerAnnouncement {
  message: string | null;
  language: string | null;
}

/** An account with its limits and retention times. */
@Entity('accounts')
@Check('accounts_concurrent_calls_check', 'concurrent_calls > 0')
@Check('accounts_calls_per_second_check', 'calls_per_second > 0')
@Check('accounts_queued_calls_check', 'queued_calls > 0')
@Check('accounts_requests_per_minute_check', 'requests_per_minute >= 0')
@Check('accounts_storage_bytes_check', 'storage_bytes >= 0')
@Check('accounts_contact_attempts_per_day_check', 'contact_attempts_per_day > 0')
@Check('accounts_contact_attempts_per_week_check', 'contact_attempts_per_week > 0')
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

  /** Of phone numbers without a country code, ISO 3166-1 alpha-2; null: they have none. */
  @Column('text', { name: 'default_country', nullable: true })
  defaultCountry: string | null;

  /** Live calls; further ones wait in order. */
  @Column('integer', { name: 'concurrent_calls', default: 10 })
  concurrentCalls: number;

  /** Calls started per second; further ones wait in order. */
  @Column('double precision', { name: 'calls_per_second', default: 5 })
  callsPerSecond: number;

  /** Calls in the queue. */
  @Column('integer', { name: 'queued_calls', default: 100_000 })
  queuedCalls: number;

  /** Limit of each token; 0: no limit, null: the limit of the installation. */
  @Column('integer', { name: 'requests_per_minute', nullable: true })
  requestsPerMinute: number | null;

  /** Spend per UTC day in micro-USD after which no call is placed; null: unlimited. bigint, so text. */
  @Column('bigint', { name: 'daily_spend_micros', nullable: true })
  dailySpendMicros: string | null;

  /** Limit of recordings and files of knowledge bases; null: unlimited. bigint, so text. */
  @Column('bigint', { name: 'storage_bytes', nullable: true, default: 53_687_091_200 })
  storageBytes: string | null;

  /** E.164 prefixes that may be called; empty: all that are not denied. */
  @Column('text', { name: 'destinations_allow', array: true, default: [] })
  destinationsAllow: string[];

  @Column('text', { name: 'destinations_deny', array: true, default: [] })
  destinationsDeny: string[];

  /** Dialled calls to one number within 24 hours; null: no limit. */
  @Column('integer', { name: 'contact_attempts_per_day', nullable: true })
  contactAttemptsPerDay: number | null;

  /** Within seven days. */
  @Column('integer', { name: 'contact_attempts_per_week', nullable: true })
  contactAttemptsPerWeek: number | null;

  /** `HH:MM` in the local time of the called number; null: from midnight. */
  @Column('text', { name: 'contact_earliest', nullable: true })
  contactEarliest: string | null;

  /** null: until midnight. */
  @Column('text', { name: 'contact_latest', nullable: true })
  contactLatest: string | null;

  /** IANA name, of numbers whose zone is unknown; null: UTC. */
  @Column('text', { name: 'contact_time_zone', nullable: true })
  contactTimeZone: string | null;

  /** Days after which recordings are deleted; null: never. */
  @Column('integer', { name: 'recordings_days', nullable: true })
  recordingsDays: number | null;

  @Column('integer', { name: 'transcripts_days', nullable: true })
  transcriptsDays: number | null;

  @Column('integer', { name: 'deliveries_days', nullable: true, default: 30 })
  deliveriesDays: number | null;

  @Column('integer', { name: 'documents_days', nullable: true })
  documentsDays: number | null;

  /** Of all calls of the account; null: nothing is redacted. */
  @Column('jsonb', { nullable: true })
  redaction: Redaction | null;

  /** Spoken to the user of a call before a person listens to it; null: nothing is. */
  @Column('jsonb', { name: 'announce_listeners', nullable: true })
  announceListeners: ListenerAnnouncement | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
