import type { AnalysisSettings } from '@app/agents';
import type { CostLine } from '@app/calls';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AnalysisResult } from './domain/analysis-result.js';

export const ANALYSIS_STATUSES = ['pending', 'running', 'completed', 'failed'] as const;
export type AnalysisStatus = (typeof ANALYSIS_STATUSES)[number];

/** `rules`: without a text model. */
export const ANALYSIS_SOURCES = ['model', 'rules'] as const;
export type AnalysisSource = (typeof ANALYSIS_SOURCES)[number];

const oneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`;

/** One analysis of a call. Properties are named like the columns: prepared statements return such rows. */
@Entity('call_analyses')
@Unique('call_analyses_version_key', ['call_id', 'version'])
@Check('call_analyses_status_check', oneOf('status', ANALYSIS_STATUSES))
@Check('call_analyses_source_check', oneOf('source', ANALYSIS_SOURCES))
@Index('call_analyses_due', { synchronize: false })
@Index('call_analyses_running', { synchronize: false })
@Index('call_analyses_by_batch', { synchronize: false })
export class CallAnalysisEntity {
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'call_analyses_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  account_id: number;

  @ForeignKey('calls', { name: 'call_analyses_call_id_fkey', onDelete: 'CASCADE' })
  @Column('uuid')
  call_id: string;

  /** From 1, for each call. */
  @Column('integer')
  version: number;

  @ForeignKey('analysis_batches', { name: 'call_analyses_batch_id_fkey', onDelete: 'SET NULL' })
  @Column('uuid', { nullable: true })
  batch_id: string | null;

  /** What was asked: a copy, because the agent may change. */
  @Column('jsonb')
  settings: AnalysisSettings;

  @Column('text', { default: 'pending' })
  status: AnalysisStatus;

  @Column('text', { nullable: true })
  source: AnalysisSource | null;

  /** `vendor:model`; null: rules. */
  @Column('text', { nullable: true })
  model: string | null;

  @Column('jsonb', { nullable: true })
  result: AnalysisResult | null;

  @Column('text', { nullable: true })
  error_code: string | null;

  @Column('text', { nullable: true })
  error_message: string | null;

  /** Why a pending analysis is due later. */
  @Column('text', { nullable: true })
  waiting_for: 'retry' | 'spend_limit' | null;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { default: () => 'now()' })
  due_at: Date;

  /** The process that works on it, until `lease_until`. */
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { nullable: true })
  lease_until: Date | null;

  @Column('jsonb', { default: [] })
  costs: CostLine[];

  /** Of all attempts; bigint, so text. */
  @Column('bigint', { default: 0 })
  cost_micros: string;

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;

  @Column('timestamptz', { nullable: true })
  started_at: Date | null;

  @Column('timestamptz', { nullable: true })
  finished_at: Date | null;
}

/** Analyses of many calls that one request asked for. */
@Entity('analysis_batches')
@Index('analysis_batches_by_time', ['createdAt'])
@Index('analysis_batches_by_account', ['accountId', 'id'])
export class AnalysisBatchEntity {
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'analysis_batches_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** As the request gave it. */
  @Column('jsonb')
  filter: Record<string, unknown>;

  /** null: those of the agents. */
  @Column('jsonb', { nullable: true })
  settings: AnalysisSettings | null;

  @Column('integer', { default: 0 })
  calls: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
