import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

/* Tables of libs/analytics that only statements use, for the check of the migrated schema. */

const ACCOUNT = { onDelete: 'CASCADE' } as const;

/**
 * What a call contributes to the rollups. Written by the end of the call and completed by the worker. Without personal data and without
 * a foreign key to the call: it outlives the call and its transcript, so that a rebuild finds what was counted.
 */
@Entity('analytics_calls')
@Index('analytics_calls_pending', { synchronize: false })
@Index('analytics_calls_by_creation', ['account_id', 'created_at', 'call_id'])
@Index('analytics_calls_by_end', ['account_id', 'ended_at'])
export class AnalyticsCallEntity {
  @PrimaryColumn('uuid')
  call_id: string;

  @ForeignKey('accounts', { name: 'analytics_calls_account_id_fkey', ...ACCOUNT })
  @Column('integer')
  account_id: number;

  @Column('integer')
  agent_id: number;

  @Column('integer', { nullable: true })
  agent_version: number | null;

  @Column('integer', { nullable: true })
  campaign_id: number | null;

  @Column('integer', { nullable: true })
  number_id: number | null;

  @Column('integer', { nullable: true })
  trunk_id: number | null;

  @Column('text')
  direction: string;

  @Column('text', { default: 'phone' })
  channel: string;

  @Column('text')
  outcome: string;

  @Column('text', { nullable: true })
  cause: string | null;

  @Column('text', { nullable: true })
  answered_by: string | null;

  @Column('timestamptz')
  created_at: Date;

  @Column('timestamptz', { nullable: true })
  started_at: Date | null;

  @Column('timestamptz', { nullable: true })
  answered_at: Date | null;

  @Column('timestamptz')
  ended_at: Date;

  /** null: the call did not wait for a free place. */
  @Column('integer', { nullable: true })
  queue_ms: number | null;

  @Column('bigint', { nullable: true })
  cost_micros: string | null;

  @Column('integer', { default: 0 })
  transfers: number;

  @Column('integer', { default: 0 })
  transfers_connected: number;

  /** The latency of each measured answer of the agent. */
  @Column('integer', { array: true, nullable: true })
  response_ms: number[] | null;

  @Column('integer', { default: 0 })
  interruptions: number;

  @Column('integer', { default: 0 })
  tool_calls: number;

  @Column('integer', { default: 0 })
  tool_failures: number;

  @Column('integer', { default: 0 })
  searches: number;

  @Column('integer', { default: 0 })
  search_hits: number;

  /** A tester caller made or answered it: the end of the call found `metadata.test_run`. */
  @Column('boolean', { default: false })
  is_test: boolean;

  /** The answers of the newest completed analysis; null: there is none. */
  @Column('jsonb', { nullable: true })
  rubric: unknown;

  /** The worker has to count it, or to count it anew. */
  @Column('boolean', { default: true })
  pending: boolean;

  /** The rollups contain the row as it is. */
  @Column('boolean', { default: false })
  counted: boolean;
}

/** The days of a time zone in the rollups of an account. */
@Entity('analytics_zones')
@Unique('analytics_zones_key', ['account_id', 'time_zone'])
export class AnalyticsZoneEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'analytics_zones_account_id_fkey', ...ACCOUNT })
  @Column('integer')
  account_id: number;

  @Column('text')
  time_zone: string;

  /** Days before it have their counts of rubric answers, which are kept up to date; `infinity`: all of them. */
  @Column('timestamptz', { default: '-infinity' })
  built_until: Date;

  /** Days before it are built, except those that have changed since. */
  @Column('timestamptz', { default: '-infinity' })
  days_until: Date;

  @Column('timestamptz', { default: '-infinity' })
  months_until: Date;
}

/** The most calls in progress at once in a quarter of an hour, of all calls or of those with a value of one dimension. */
@Entity('analytics_peaks')
@Index('analytics_peaks_stale', { synchronize: false })
export class AnalyticsPeakEntity {
  @ForeignKey('accounts', { name: 'analytics_peaks_account_id_fkey', ...ACCOUNT })
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('text')
  dimension: string;

  @PrimaryColumn('timestamptz')
  bucket: Date;

  @PrimaryColumn('text')
  value: string;

  @Column('integer', { default: 0 })
  peak: number;

  /** Of the row of all calls: the quarter has to be computed anew. */
  @Column('boolean', { default: false })
  stale: boolean;
}

/** An hour of UTC in which calls of an account were created. */
@Entity('analytics_hours')
@Index('analytics_hours_stale', { synchronize: false })
export class AnalyticsHourEntity {
  @ForeignKey('accounts', { name: 'analytics_hours_account_id_fkey', ...ACCOUNT })
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('timestamptz')
  hour: Date;

  /** Grows with every change of its calls. */
  @Column('integer', { default: 1 })
  version: number;

  /** Its rollups are missing or out of date: its calls are read one by one. */
  @Column('boolean', { default: true })
  stale: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  changed_at: Date;
}

/**
 * The sums and histograms of one grouping (`cuboid`) of the calls that were created in an hour (`zone_id` 0), day or month. Each column has
 * one number per entry, see `domain/block.ts`; null: every number is 0, or the grouping does not have the column.
 */
@Entity('analytics_blocks')
export class AnalyticsBlockEntity {
  @ForeignKey('accounts', { name: 'analytics_blocks_account_id_fkey', ...ACCOUNT })
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('integer')
  zone_id: number;

  /** 0: hour, 1: day, 2: month. */
  @PrimaryColumn('smallint')
  level: number;

  @PrimaryColumn('timestamptz')
  bucket: Date;

  @PrimaryColumn('integer')
  cuboid: number;

  /** The end of the span. */
  @Column('timestamptz')
  until: Date;

  @Column('integer')
  entries: number;

  @Column('text', { array: true })
  labels: string[];

  @Column('bytea', { nullable: true })
  quarter: Buffer | null;

  @Column('bytea', { nullable: true })
  agent_id: Buffer | null;

  @Column('bytea', { nullable: true })
  agent_version: Buffer | null;

  @Column('bytea', { nullable: true })
  campaign_id: Buffer | null;

  @Column('bytea', { nullable: true })
  number_id: Buffer | null;

  @Column('bytea', { nullable: true })
  trunk_id: Buffer | null;

  @Column('bytea', { nullable: true })
  direction: Buffer | null;

  @Column('bytea', { nullable: true })
  outcome: Buffer | null;

  @Column('bytea', { nullable: true })
  cause: Buffer | null;

  @Column('bytea', { nullable: true })
  answered_by: Buffer | null;

  @Column('bytea', { nullable: true })
  calls: Buffer | null;

  @Column('bytea', { nullable: true })
  dialled: Buffer | null;

  @Column('bytea', { nullable: true })
  answered: Buffer | null;

  @Column('bytea', { nullable: true })
  human: Buffer | null;

  @Column('bytea', { nullable: true })
  machine: Buffer | null;

  @Column('bytea', { nullable: true })
  duration_ms: Buffer | null;

  @Column('bytea', { nullable: true })
  ring_ms: Buffer | null;

  @Column('bytea', { nullable: true })
  cost_micros: Buffer | null;

  @Column('bytea', { nullable: true })
  responses: Buffer | null;

  @Column('bytea', { nullable: true })
  response_ms: Buffer | null;

  @Column('bytea', { nullable: true })
  interruptions: Buffer | null;

  @Column('bytea', { nullable: true })
  tool_calls: Buffer | null;

  @Column('bytea', { nullable: true })
  tool_failures: Buffer | null;

  @Column('bytea', { nullable: true })
  searches: Buffer | null;

  @Column('bytea', { nullable: true })
  search_hits: Buffer | null;

  @Column('bytea', { nullable: true })
  transfers: Buffer | null;

  @Column('bytea', { nullable: true })
  transfers_connected: Buffer | null;

  @Column('bytea', { nullable: true })
  queued: Buffer | null;

  @Column('bytea', { nullable: true })
  queue_ms: Buffer | null;

  @Column('bytea', { nullable: true })
  duration_bins: Buffer | null;

  @Column('bytea', { nullable: true })
  ring_bins: Buffer | null;

  @Column('bytea', { nullable: true })
  response_bins: Buffer | null;

  @Column('bytea', { nullable: true })
  queue_bins: Buffer | null;
}

/**
 * How many calls of a quarter of an hour (`zone_id` 0) or day gave an answer to a question of a rubric. An empty answer: the analysis
 * found none.
 */
@Entity('analytics_rubrics')
export class AnalyticsRubricEntity {
  @ForeignKey('accounts', { name: 'analytics_rubrics_account_id_fkey', ...ACCOUNT })
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('integer')
  zone_id: number;

  @PrimaryColumn('timestamptz')
  bucket: Date;

  @PrimaryColumn('integer')
  agent_id: number;

  /** 0: none. */
  @PrimaryColumn('integer')
  agent_version: number;

  @PrimaryColumn('text')
  name: string;

  @PrimaryColumn('text')
  type: string;

  @PrimaryColumn('text')
  answer: string;

  @PrimaryColumn('boolean')
  is_test: boolean;

  @Column('bigint')
  calls: string;
}

/** The words of the transcript of an ended call, for `GET /calls?transcript=`. */
@Entity('call_search')
@Index('call_search_words', { synchronize: false })
export class CallSearchEntity {
  @ForeignKey('calls', { name: 'call_search_call_id_fkey', ...ACCOUNT })
  @PrimaryColumn('uuid')
  call_id: string;

  @ForeignKey('accounts', { name: 'call_search_account_id_fkey', ...ACCOUNT })
  @Column('integer')
  account_id: number;

  @Column('tsvector')
  words: string;
}
