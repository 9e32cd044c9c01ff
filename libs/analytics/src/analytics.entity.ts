import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { RubricFact } from './domain/rubric-rows.js';

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

  @Column('integer')
  number_id: number;

  @Column('integer', { nullable: true })
  trunk_id: number | null;

  @Column('text')
  direction: string;

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
  rubric: RubricFact[] | null;

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

  /** Days before it are complete and kept up to date; `infinity`: all of them. */
  @Column('timestamptz')
  built_until: Date;
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

/** Sums and histograms of the calls that were created in a quarter of an hour (`zone_id` 0) or day, of one grouping (`cuboid`). */
@Entity('analytics_rollups')
export class AnalyticsRollupEntity {
  @ForeignKey('accounts', { name: 'analytics_rollups_account_id_fkey', ...ACCOUNT })
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('integer')
  zone_id: number;

  @PrimaryColumn('integer')
  cuboid: number;

  @PrimaryColumn('timestamptz')
  bucket: Date;

  @PrimaryColumn('integer')
  agent_id: number;

  @PrimaryColumn('integer')
  agent_version: number;

  @PrimaryColumn('integer')
  campaign_id: number;

  @PrimaryColumn('integer')
  number_id: number;

  @PrimaryColumn('integer')
  trunk_id: number;

  @PrimaryColumn('text')
  direction: string;

  @PrimaryColumn('text')
  outcome: string;

  @PrimaryColumn('text')
  cause: string;

  @PrimaryColumn('text')
  answered_by: string;

  @Column('bigint')
  calls: string;

  @Column('bigint')
  dialled: string;

  @Column('bigint')
  answered: string;

  @Column('bigint')
  human: string;

  @Column('bigint')
  machine: string;

  @Column('bigint')
  duration_ms: string;

  @Column('bigint')
  ring_ms: string;

  @Column('bigint')
  cost_micros: string;

  @Column('bigint')
  responses: string;

  @Column('bigint')
  response_ms: string;

  @Column('bigint')
  interruptions: string;

  @Column('bigint')
  tool_calls: string;

  @Column('bigint')
  tool_failures: string;

  @Column('bigint')
  searches: string;

  @Column('bigint')
  search_hits: string;

  @Column('bigint')
  transfers: string;

  @Column('bigint')
  transfers_connected: string;

  @Column('bigint')
  queued: string;

  @Column('bigint')
  queue_ms: string;

  /** Histograms: the subscript is the bin, see `bins.ts`. */
  @Column('integer', { array: true, nullable: true })
  duration_bins: number[] | null;

  @Column('integer', { array: true, nullable: true })
  ring_bins: number[] | null;

  @Column('integer', { array: true, nullable: true })
  response_bins: number[] | null;

  @Column('integer', { array: true, nullable: true })
  queue_bins: number[] | null;
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
