import type { VariableValue } from '@app/agents';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import {
  type AnsweredBy,
  type AnsweringMachineRecord,
  type DisclosureRecord,
  type GuardrailHitRecord,
  type RecordingConsentRecord,
  CALL_STATUSES,
  type CallChannel,
  type CallDirection,
  type CallEndedBy,
  type CallSettings,
  type CallStatus,
  type TransferRecord,
} from './domain/call.js';
import type { CallFlow } from './domain/call-flow.js';
import type { CallMeasures } from './domain/call-measures.js';

/**
 * One call. The properties are named like the columns because the prepared statements of the hot paths return rows in this shape;
 * bigint columns are strings. The migrations create the indexes, which are partial, descending or GIN.
 */
@Index('calls_list', { synchronize: false })
@Index('calls_list_agent', { synchronize: false })
@Index('calls_list_number', { synchronize: false })
@Index('calls_list_status', { synchronize: false })
@Index('calls_list_direction', { synchronize: false })
@Index('calls_list_phone', { synchronize: false })
@Index('calls_list_web', { synchronize: false })
@Index('calls_with_guardrail_hits', { synchronize: false })
@Index('calls_search', { synchronize: false })
@Index('calls_search_callers', { synchronize: false })
@Index('calls_waiting', { synchronize: false })
@Index('calls_live', { synchronize: false })
@Index('calls_owned', { synchronize: false })
@Index('calls_transfer_live', { synchronize: false })
@Index('calls_recordings', { synchronize: false })
@Index('calls_transcripts', { synchronize: false })
@Index('calls_drained', { synchronize: false })
@Index('calls_due', { synchronize: false })
@Index('calls_list_campaign', { synchronize: false })
@Index('calls_waiting_callers', { synchronize: false })
@Check('calls_direction_check', `direction IN ('inbound', 'outbound')`)
@Check('calls_channel_check', `channel IN ('phone', 'web')`)
@Check('calls_status_check', `status IN (${CALL_STATUSES.map((status) => `'${status}'`).join(', ')})`)
@Check('calls_answered_by', `answered_by IN ('human', 'machine', 'unknown')`)
@Entity('calls')
export class CallEntity {
  /** uuidv7, given by the service. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  account_id: number;

  @Column('integer')
  agent_id: number;

  /** null: a web call. */
  @Column('integer', { nullable: true })
  number_id: number | null;

  @Column('integer', { nullable: true })
  trunk_id: number | null;

  @Column('text', { default: 'outbound' })
  direction: CallDirection;

  @Column('text', { default: 'phone' })
  channel: CallChannel;

  @Column('text', { default: 'pending' })
  status: CallStatus;

  @Column('text')
  to_number: string;

  @Column('text')
  from_number: string;

  /** The name of the agent when the call was created. */
  @Column('text')
  agent_name: string;

  /** The version of the agent's settings; null: a call of an earlier release, which has the current settings. */
  @Column('integer', { nullable: true })
  agent_version: number | null;

  @Column('boolean', { default: true })
  record: boolean;

  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  /** The values of the agent's variables that the request gave; null: none. */
  @Column('jsonb', { nullable: true })
  variables: Record<string, VariableValue> | null;

  /** The knowledge bases of the agent that the call may use; null: all, empty: none. */
  @Column('integer', { array: true, nullable: true })
  knowledge_base_ids: number[] | null;

  @Column('jsonb', { default: {} })
  settings: CallSettings;

  @CreateDateColumn({ type: 'timestamptz' })
  created_at: Date;

  /** The first INVITE; null while queued. */
  @Column('timestamptz', { nullable: true })
  started_at: Date | null;

  @Column('timestamptz', { nullable: true })
  answered_at: Date | null;

  /** null: the call was not answered, or the agent does not detect answering machines. */
  @Column('text', { nullable: true })
  answered_by: AnsweredBy | null;

  /** The evidence for `answered_by`, or of the audio before the answer; null: none. */
  @Column('jsonb', { nullable: true })
  answering_machine: AnsweringMachineRecord | null;

  /** null: none was needed, or the call was not answered by its agent. */
  @Column('jsonb', { nullable: true })
  recording_consent: RecordingConsentRecord | null;

  /** null: the agent has none for this call, or the call was not answered. */
  @Column('jsonb', { nullable: true })
  disclosure: DisclosureRecord | null;

  /** null: no rule applied. */
  @Column('jsonb', { nullable: true })
  guardrail_hits: GuardrailHitRecord[] | null;

  @Column('timestamptz', { nullable: true })
  ended_at: Date | null;

  @Column('text', { nullable: true })
  hangup_cause: string | null;

  @Column('integer', { nullable: true })
  sip_code: number | null;

  /** What was missing, or what a vendor answered, as a sentence; null: `hangup_cause` says everything. */
  @Column('text', { nullable: true })
  failure_reason: string | null;

  @Column('text', { nullable: true })
  ended_by: CallEndedBy | null;

  @Column('bigint', { nullable: true })
  cost_micros: string | null;

  @Column('bigint', { nullable: true })
  realtime_cost_micros: string | null;

  /** The maximum cost of a live call, reserved in the account's daily spend. */
  @Column('bigint', { nullable: true })
  reserved_micros: string | null;

  @Column('text', { nullable: true })
  summary: string | null;

  /** How the call went; null: unanswered, live, ended by a sweep, or of an earlier release. Not in lists. */
  @Column('jsonb', { nullable: true })
  measures: CallMeasures | null;

  /** Collected values, path and agents; null: none. Written with the events that tell of them. Not in lists. */
  @Column('jsonb', { nullable: true })
  flow: CallFlow | null;

  /** Key in the storage; null: not recorded, not stored yet, or failed (see `recording_error`). */
  @Column('text', { nullable: true })
  recording_key: string | null;

  @Column('bigint', { nullable: true })
  recording_bytes: string | null;

  @Column('integer', { nullable: true })
  recording_ms: number | null;

  @Column('text', { nullable: true })
  recording_error: string | null;

  /** When retention deleted the recording. */
  @Column('timestamptz', { nullable: true })
  recording_deleted_at: Date | null;

  /** When retention deleted the transcript. */
  @Column('timestamptz', { nullable: true })
  transcript_deleted_at: Date | null;

  /** Last number used in call_events. */
  @Column('integer', { default: 0 })
  event_seq: number;

  /** Last `sequence` used in a webhook of this call. */
  @Column('integer', { default: 0 })
  webhook_seq: number;

  /** The dialer process that claimed the call from the queue; only it may change the call until it ends. */
  @ForeignKey('dialers', { name: 'calls_owner_fkey' })
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { nullable: true })
  cancel_requested_at: Date | null;

  @Column('jsonb', { default: [] })
  transfers: TransferRecord[];

  /** The trunk that carries the second leg of a transfer, while it lasts. */
  @Column('integer', { nullable: true })
  transfer_trunk_id: number | null;

  /** A queued call that waits for its time, or the end of the token of a web call that waits for its page; null: the call may be claimed. */
  @Column('timestamptz', { nullable: true })
  due_at: Date | null;

  /** When a scheduled call joined the queue; null: at its creation. */
  @Column('timestamptz', { nullable: true })
  released_at: Date | null;

  /** When an inbound call began to wait for a free place; null: it did not wait. */
  @Column('timestamptz', { nullable: true })
  queued_at: Date | null;

  /** When a waiting call got its place; null: not yet, or never. */
  @Column('timestamptz', { nullable: true })
  served_at: Date | null;

  /** When a waiting call left the queue without a place, to be transferred to a number; null: it did not. */
  @Column('timestamptz', { nullable: true })
  queue_left_at: Date | null;

  /** No foreign key: calls survive their campaign. */
  @Column('integer', { nullable: true })
  campaign_id: number | null;

  @Column('uuid', { nullable: true })
  contact_id: string | null;

  /** W3C trace context of the request that created the call. */
  @Column('text', { nullable: true })
  trace_parent: string | null;
}

/** The columns that `POST /calls` stores unchanged, with their defaults. A new field is added to the entity and here. */
export const REQUESTED_DEFAULTS = {
  record: true,
  metadata: null,
  variables: null,
  knowledge_base_ids: null,
} satisfies Partial<CallEntity>;

export type RequestedColumns = Pick<CallEntity, keyof typeof REQUESTED_DEFAULTS>;

const REQUESTED_COLUMNS = Object.keys(REQUESTED_DEFAULTS) as (keyof RequestedColumns)[];

/** The columns of presenters and webhooks. A column that a dialer sets is added to the entity and here. */
const COLUMNS = [
  ...(['id', 'account_id', 'agent_id', 'number_id', 'trunk_id', 'direction', 'channel'] as const),
  ...(['status', 'to_number', 'from_number', 'agent_name', 'agent_version'] as const),
  ...REQUESTED_COLUMNS,
  ...(['settings', 'created_at', 'started_at'] as const),
  ...(['answered_at', 'answered_by', 'ended_at', 'hangup_cause', 'sip_code', 'ended_by', 'cost_micros'] as const),
  'failure_reason' as const,
  ...(['realtime_cost_micros', 'recording_key', 'recording_bytes', 'recording_ms', 'recording_error'] as const),
  ...(['webhook_seq', 'transfers', 'recording_deleted_at', 'transcript_deleted_at'] as const),
  ...(['due_at', 'released_at', 'queued_at', 'served_at', 'campaign_id', 'contact_id', 'answering_machine'] as const),
  ...(['recording_consent', 'disclosure', 'guardrail_hits', 'queue_left_at'] as const),
] satisfies (keyof CallEntity)[];

/** COLUMNS as SQL. */
export const CALL_COLUMNS = COLUMNS.join(', ');

/** A row of the statements with CALL_COLUMNS. */
export type CallRow = Pick<CallEntity, (typeof COLUMNS)[number]>;

/** A row of a statement that may return the flow in addition. */
export type CallWithFlow = CallRow & Partial<Pick<CallEntity, 'flow'>>;

/** The columns of a queued call. */
export const NOT_DIALLED = {
  status: 'pending',
  started_at: null,
  answered_at: null,
  answered_by: null,
  answering_machine: null,
  recording_consent: null,
  disclosure: null,
  guardrail_hits: null,
  ended_at: null,
  hangup_cause: null,
  sip_code: null,
  failure_reason: null,
  ended_by: null,
  cost_micros: null,
  realtime_cost_micros: null,
  recording_key: null,
  recording_bytes: null,
  recording_ms: null,
  recording_error: null,
  transfers: [] as TransferRecord[],
  recording_deleted_at: null,
  transcript_deleted_at: null,
  campaign_id: null as number | null,
  contact_id: null as string | null,
  due_at: null,
  released_at: null,
  queued_at: null,
  served_at: null,
  queue_left_at: null,
} as const satisfies Partial<CallRow>;
