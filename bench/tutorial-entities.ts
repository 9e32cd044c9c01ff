import type { CallSettings } from '@app/calls';
import type { StoredWebhook } from '@app/webhooks';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** The service's tables with relations between the entities, as tutorials map them. */
@Entity('accounts')
export class Account {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('text')
  name: string;
}

@Entity('api_tokens')
export class ApiToken {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  @Column('text', { array: true })
  scopes: string[];

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}

@Entity('agents')
export class Agent {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column('text')
  name: string;

  @Column('boolean')
  active: boolean;

  @Column('jsonb', { name: 'call_status_webhook', nullable: true })
  callStatusWebhook: StoredWebhook | null;
}

@Entity('phone_numbers')
export class PhoneNumber {
  @PrimaryGeneratedColumn()
  id: number;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @Column('text')
  e164: string;

  @Column('boolean')
  active: boolean;
}

@Entity('calls')
export class Call {
  @PrimaryColumn('uuid')
  id: string;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @ManyToOne(() => Agent)
  @JoinColumn({ name: 'agent_id' })
  agent: Agent;

  @ManyToOne(() => PhoneNumber)
  @JoinColumn({ name: 'number_id' })
  number: PhoneNumber;

  @Column('integer', { name: 'trunk_id', nullable: true })
  trunkId: number | null;

  @Column('text', { default: 'outbound' })
  direction: string;

  @Column('text', { default: 'pending' })
  status: string;

  @Column('text', { name: 'to_number' })
  toNumber: string;

  @Column('text', { name: 'from_number' })
  fromNumber: string;

  @Column('text', { name: 'agent_name' })
  agentName: string;

  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;

  @Column('jsonb', { default: {} })
  settings: CallSettings;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'answered_at', nullable: true })
  answeredAt: Date | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @Column('text', { name: 'hangup_cause', nullable: true })
  hangupCause: string | null;

  @Column('integer', { name: 'sip_code', nullable: true })
  sipCode: number | null;

  @Column('text', { name: 'ended_by', nullable: true })
  endedBy: string | null;

  @Column('bigint', { name: 'cost_micros', nullable: true })
  costMicros: string | null;

  @Column('bigint', { name: 'realtime_cost_micros', nullable: true })
  realtimeCostMicros: string | null;

  @Column('text', { name: 'recording_key', nullable: true })
  recordingKey: string | null;
}

@Entity('call_events')
export class CallEvent {
  @ManyToOne(() => Call)
  @JoinColumn({ name: 'call_id' })
  call: Call;

  @PrimaryColumn('uuid', { name: 'call_id' })
  callId: string;

  @PrimaryColumn('integer')
  seq: number;

  @Column('text')
  type: string;

  @Column('jsonb')
  data: Record<string, unknown>;
}

@Entity('webhook_streams')
export class WebhookStream {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @ManyToOne(() => Call)
  @JoinColumn({ name: 'call_id' })
  call: Call;

  @Column('text')
  url: string;

  @Column('text')
  host: string;

  @Column('timestamptz', { name: 'next_at', nullable: true })
  nextAt: Date | null;
}

@Entity('webhook_deliveries')
export class WebhookDelivery {
  @PrimaryColumn('uuid')
  id: string;

  @ManyToOne(() => WebhookStream)
  @JoinColumn({ name: 'stream_id' })
  stream: WebhookStream;

  @ManyToOne(() => Account)
  @JoinColumn({ name: 'account_id' })
  account: Account;

  @ManyToOne(() => Call)
  @JoinColumn({ name: 'call_id' })
  call: Call;

  @Column('text')
  type: string;

  @Column('text')
  event: string;

  @Column('integer')
  sequence: number;

  @Column('text')
  method: string;

  @Column('text')
  url: string;

  @Column('text')
  body: string;
}
