import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { StoredWebhook } from '../stored-webhook.js';

export const CALL_STATUSES = [
  'pending',
  'ringing',
  'in_progress',
  'completed',
  'failed',
  'no_answer',
  'busy',
  'cancelled',
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export const CALL_DIRECTIONS = ['inbound', 'outbound'] as const;
export type CallDirection = (typeof CALL_DIRECTIONS)[number];

export const CALL_ENDED_BY = ['caller', 'callee', 'agent', 'carrier', 'system', 'api'] as const;
export type CallEndedBy = (typeof CALL_ENDED_BY)[number];

export const ANSWERED_BY = ['human', 'machine', 'unknown'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

/** What holds for one call: the agent's settings with the overrides of the request already applied. */
export interface CallSettings {
  post_call_webhook?: StoredWebhook;
  call_status_webhook?: StoredWebhook;
  transfer?: { phone_number: string; caller_id_number_id?: number };
  /** The called party does not see the number; absent: it does. */
  anonymous?: true;
}

@Entity('calls')
export class CallEntity {
  /** uuidv7, given by the service. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'number_id' })
  numberId: number;

  @Column('integer', { name: 'trunk_id', nullable: true })
  trunkId: number | null;

  @Column('text', { default: 'outbound' })
  direction: CallDirection;

  @Column('text', { default: 'pending' })
  status: CallStatus;

  @Column('text', { name: 'to_number' })
  toNumber: string;

  @Column('text', { name: 'from_number' })
  fromNumber: string;

  @Column('text', { name: 'agent_name' })
  agentName: string;

  @Column('boolean', { default: true })
  record: boolean;

  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  @Column('jsonb', { default: {} })
  settings: CallSettings;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  /** The first INVITE; null while queued. */
  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'answered_at', nullable: true })
  answeredAt: Date | null;

  /** null: nobody answered, or the agent does not look for answering machines. */
  @Column('text', { name: 'answered_by', nullable: true })
  answeredBy: AnsweredBy | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @Column('text', { name: 'hangup_cause', nullable: true })
  hangupCause: string | null;

  @Column('integer', { name: 'sip_code', nullable: true })
  sipCode: number | null;

  @Column('text', { name: 'ended_by', nullable: true })
  endedBy: CallEndedBy | null;

  @Column('bigint', { name: 'cost_micros', nullable: true })
  costMicros: string | null;

  @Column('bigint', { name: 'realtime_cost_micros', nullable: true })
  realtimeCostMicros: string | null;

  @Column('text', { nullable: true })
  summary: string | null;

  /** Key in the storage; null: not recorded, not there yet, or failed (then recordingError says why). */
  @Column('text', { name: 'recording_key', nullable: true })
  recordingKey: string | null;

  @Column('bigint', { name: 'recording_bytes', nullable: true })
  recordingBytes: string | null;

  @Column('integer', { name: 'recording_ms', nullable: true })
  recordingMs: number | null;

  @Column('text', { name: 'recording_error', nullable: true })
  recordingError: string | null;

  /** Last number used in call_events. */
  @Column('integer', { name: 'event_seq', default: 0 })
  eventSeq: number;

  /** Last `sequence` used in a webhook of this call. */
  @Column('integer', { name: 'webhook_seq', default: 0 })
  webhookSeq: number;

  /** The dialer process that took the call from the waiting line; only it may change the call until it ends. */
  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { name: 'cancel_requested_at', nullable: true })
  cancelRequestedAt: Date | null;
}
