import type { StoredWebhook } from '@app/webhooks';
import type { VariableValue } from '@app/agents';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import {
  CAMPAIGN_STATUSES,
  type CampaignPacing,
  type CampaignRetry,
  type CampaignSchedule,
  type CampaignStatus,
  CONTACT_STATUSES,
  type ContactAnalysis,
  type ContactOutcome,
  type ContactStatus,
  type NumberRotation,
  type PauseReason,
  type StoredReason,
} from './domain/campaign.js';

const oneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`;

/** Calls to a list of contacts. */
@Entity('campaigns')
@Unique('campaigns_account_id_name_key', ['accountId', 'name'])
@Check('campaigns_status_check', oneOf('status', CAMPAIGN_STATUSES))
@Index('campaigns_running', { synchronize: false })
@Index('campaigns_with_work', { synchronize: false })
export class CampaignEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'campaigns_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  @ForeignKey('agents', { name: 'campaigns_agent_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { name: 'agent_id', nullable: true })
  agentId: number | null;

  /** null: the published version when a call is created. */
  @Column('integer', { name: 'agent_version', nullable: true })
  agentVersion: number | null;

  /** The pool of displayed numbers. */
  @Column('integer', { name: 'number_ids', array: true })
  numberIds: number[];

  @Column('text', { default: 'round_robin' })
  rotation: NumberRotation;

  @ForeignKey('sip_trunks', { name: 'campaigns_trunk_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { name: 'trunk_id', nullable: true })
  trunkId: number | null;

  @Column('boolean', { default: true })
  record: boolean;

  /** Contacts for whom the agent has no disclosure are refused. */
  @Column('boolean', { name: 'require_disclosure', default: false })
  requireDisclosure: boolean;

  /** Defaults of the contacts. */
  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  variables: Record<string, VariableValue> | null;

  @Column('jsonb')
  schedule: CampaignSchedule;

  @Column('jsonb')
  retry: CampaignRetry;

  @Column('jsonb')
  pacing: CampaignPacing;

  /** Receives `campaign.started`, `campaign.paused` and `campaign.completed`. */
  @Column('jsonb', { nullable: true })
  webhook: StoredWebhook | null;

  @Column('text', { default: 'draft' })
  status: CampaignStatus;

  @Column('text', { name: 'pause_reason', nullable: true })
  pauseReason: PauseReason | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  /** The last change to `running`: the ramp-up and the breaker begin there. */
  @Column('timestamptz', { name: 'resumed_at', nullable: true })
  resumedAt: Date | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  /** Attempts so far: rotates the numbers. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** The earliest next call, by the calls per second; null: now. */
  @Column('timestamptz', { name: 'next_call_at', nullable: true })
  nextCallAt: Date | null;

  /** The runner looks at it: it runs, or calls and contacts are left from when it ran. */
  @Column('boolean', { name: 'has_work', default: false })
  hasWork: boolean;

  /** Contacts that wait for a window of an earlier schedule are looked at anew. */
  @Column('boolean', { name: 'windows_changed', default: false })
  windowsChanged: boolean;

  /** Of the last attempts since `resumedAt`, the newest last: `f` failed, `-` did not. As many as the breaker counts. */
  @Column('text', { name: 'recent_results', default: '' })
  recentResults: string;

  /** Of all attempts; bigint, so text. */
  @Column('bigint', { name: 'cost_micros', default: 0 })
  costMicros: string;

  /** The last `sequence` of its webhooks. */
  @Column('integer', { name: 'webhook_seq', default: 0 })
  webhookSeq: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

/** A number to call, and what came of it. Properties are named like the columns: the runner's prepared statements return such rows. */
@Entity('campaign_contacts')
@Unique('campaign_contacts_number_key', ['campaign_id', 'to_number'])
@Check('campaign_contacts_status_check', oneOf('status', CONTACT_STATUSES))
@Index('campaign_contacts_list', ['campaign_id', 'id'])
@Index('campaign_contacts_by_status', ['campaign_id', 'status', 'id'])
@Index('campaign_contacts_by_outcome', { synchronize: false })
@Index('campaign_contacts_by_reason', { synchronize: false })
@Index('campaign_contacts_due', { synchronize: false })
@Index('campaign_contacts_calling', { synchronize: false })
export class CampaignContactEntity {
  /** uuidv7, given by the service: contacts keep the order of their import. */
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'campaign_contacts_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  account_id: number;

  @ForeignKey('campaigns', { name: 'campaign_contacts_campaign_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  campaign_id: number;

  @Column('text')
  to_number: string;

  /** IANA name; null: of the number, else of the campaign. */
  @Column('text', { nullable: true })
  time_zone: string | null;

  @Column('timestamptz', { nullable: true })
  not_before: Date | null;

  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  variables: Record<string, VariableValue> | null;

  @Column('text', { default: 'waiting' })
  status: ContactStatus;

  /** A waiting contact: when it is looked at next. A window, a retry or `not_before` may lie behind it; see `reason`. */
  @Column('timestamptz', { default: () => "'1970-01-01 00:00:00+00'" })
  due_at: Date;

  /** Why `due_at` lies in the future, or why the contact was not reached. */
  @Column('text', { nullable: true })
  reason: StoredReason | null;

  @Column('integer', { default: 0 })
  attempts: number;

  /** Of the last attempt that ended. */
  @Column('text', { nullable: true })
  outcome: ContactOutcome | null;

  @Column('text', { nullable: true })
  hangup_cause: string | null;

  /** The call of the last attempt. No foreign key: retention deletes calls. */
  @Column('uuid', { nullable: true })
  call_id: string | null;

  /** What the analysis of the last call said about `retry.unless`; null: it was not asked, or is forgotten. */
  @Column('jsonb', { nullable: true })
  analysis: ContactAnalysis | null;

  @Column('timestamptz', { nullable: true })
  last_attempt_at: Date | null;
}
