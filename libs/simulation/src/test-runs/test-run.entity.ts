import type { Channel } from '@app/agents/scenarios';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { type Notification, RUN_STATUSES, type RunStatus, type TestPlan } from './domain/test-plan.js';
import type { ConversationReport } from './domain/conversation-report.js';

/** A run of scenarios with an agent. */
@Entity('test_runs')
@Check('test_runs_status_check', `status IN (${RUN_STATUSES.map((status) => `'${status}'`).join(', ')})`)
@Index('test_runs_list', { synchronize: false })
@Index('test_runs_open', { synchronize: false })
@Index('test_runs_ended', { synchronize: false })
export class TestRunEntity {
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'test_runs_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @ForeignKey('agents', { name: 'test_runs_agent_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'agent_id' })
  agentId: number;

  /** null: the settings that the agent has when a conversation is played. */
  @Column('integer', { name: 'agent_version', nullable: true })
  agentVersion: number | null;

  /** `request` or `schedule`. */
  @Column('text')
  trigger: 'request' | 'schedule';

  @Column('text', { default: 'queued' })
  status: RunStatus;

  @Column('jsonb')
  plan: TestPlan;

  /** Of the plan. */
  @Column('integer')
  conversations: number;

  @Column('integer', { default: 0 })
  played: number;

  @Column('integer', { default: 0 })
  passes: number;

  /** bigint: a string in JavaScript. */
  @Column('bigint', { name: 'cost_micros', default: 0 })
  costMicros: string;

  /** Why the run could not be completed. */
  @Column('text', { nullable: true })
  problem: string | null;

  @Column('text', { name: 'webhook_url', nullable: true })
  webhookUrl: string | null;

  @Column('text', { default: 'always' })
  notify: Notification;

  /** Times that a worker began or resumed the run. */
  @Column('smallint', { default: 0 })
  attempts: number;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  /** A worker may take the run from then on. */
  @Column('timestamptz', { name: 'lease_until' })
  leaseUntil: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}

/** The result of one conversation of a run. */
@Entity('test_conversations')
export class TestConversationEntity {
  @ForeignKey('test_runs', { name: 'test_conversations_run_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'run_id', primaryKeyConstraintName: 'test_conversations_pkey' })
  runId: string;

  /** Index in the plan. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'test_conversations_pkey' })
  scenario: number;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'test_conversations_pkey' })
  repetition: number;

  @ForeignKey('accounts', { name: 'test_conversations_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('boolean')
  passed: boolean;

  @Column('jsonb')
  report: ConversationReport;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** When the scenarios of an agent are run. */
@Entity('agent_test_schedules')
@Index('agent_test_schedules_due', { synchronize: false })
export class TestScheduleEntity {
  @ForeignKey('agents', { name: 'agent_test_schedules_agent_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @ForeignKey('accounts', { name: 'agent_test_schedules_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  cron: string;

  @Column('text', { name: 'time_zone' })
  timeZone: string;

  /** Names; empty: all scenarios of the agent. */
  @Column('text', { array: true, default: [] })
  scenarios: string[];

  @Column('jsonb')
  overrides: { repeat: number | null; pass_rate: number | null; channel: Channel | null };

  @Column('text', { name: 'webhook_url', nullable: true })
  webhookUrl: string | null;

  @Column('text', { default: 'failure' })
  notify: Notification;

  @Column('timestamptz', { name: 'next_at' })
  nextAt: Date;

  @Column('uuid', { name: 'last_run_id', nullable: true })
  lastRunId: string | null;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
