import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

/** A webhook target as stored: the header list is JSON, sealed (base64) with context `webhook-headers`, for it may hold secrets. */
export interface StoredWebhook {
  url: string;
  method: string;
  headers_sealed?: string;
}

/** What an agent does when an answering machine picks up. */
export interface StoredAnsweringMachine {
  /** false: kept for later, calls are not screened. */
  detect: boolean;
  on_machine: 'hang_up' | 'leave_message' | 'go_on';
  /** Spoken by `leave_message`. */
  message: string;
  /** How long `leave_message` waits for the beep at most. */
  wait_for_beep_seconds: number;
}

/** How an agent behaves on the line; what is absent has its default. */
export interface StoredConversation {
  /** Silence of both sides before the agent asks whether anybody is there, and how often it asks. */
  idle?: { after_seconds?: number; prompts?: number };
  /** Speech of the callee that makes the agent quieter, or stops it; for `guard_ms` of its first words nothing does. */
  barge_in?: { duck_ms?: number; interrupt_ms?: number; guard_ms?: number };
  /** What it says by itself. */
  phrases?: { filler?: string; moment?: string; idle?: string; goodbye?: string; apology?: string };
  /** BCP 47 tag. */
  language?: string;
}

/** When the provider decides that somebody has spoken; numbers that are left out are the provider's own. */
export type StoredTurnDetection =
  | { type: 'server_vad'; threshold?: number; prefix_padding_ms?: number; silence_ms?: number }
  | { type: 'semantic_vad'; eagerness?: 'low' | 'medium' | 'high' | 'auto' };

/** How an agent uses one provider; what is absent is the operator's choice, or the provider's. */
export interface StoredProviderChoice {
  model?: string;
  voice?: string;
  transcription_model?: string;
  turn_detection?: StoredTurnDetection;
  /** What a scripted agent says and does; only `sandbox` has one. */
  script?: unknown;
}

export interface StoredProviderOptions extends StoredProviderChoice {
  /** Take over in this order when the provider before them is lost for good. */
  fallbacks?: (StoredProviderChoice & { provider: string })[];
}

@Entity('agents')
export class AgentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  @Column('text', { default: 'sandbox' })
  provider: string;

  @Column('text', { default: '' })
  instructions: string;

  @Column('text', { default: '' })
  greeting: string;

  @Column('boolean', { default: true })
  active: boolean;

  @Column('integer', { name: 'max_call_seconds', default: 600 })
  maxCallSeconds: number;

  @Column('integer', { name: 'ring_timeout_seconds', default: 60 })
  ringTimeoutSeconds: number;

  @Column('jsonb', { name: 'post_call_webhook', nullable: true })
  postCallWebhook: StoredWebhook | null;

  @Column('jsonb', { name: 'call_status_webhook', nullable: true })
  callStatusWebhook: StoredWebhook | null;

  @Column('boolean', { name: 'transfer_enabled', default: false })
  transferEnabled: boolean;

  @Column('text', { name: 'transfer_phone_number', nullable: true })
  transferPhoneNumber: string | null;

  @Column('integer', { name: 'transfer_caller_id_number_id', nullable: true })
  transferCallerIdNumberId: number | null;

  /** null: calls are not screened. */
  @Column('jsonb', { name: 'answering_machine', nullable: true })
  answeringMachine: StoredAnsweringMachine | null;

  @Column('jsonb', { name: 'provider_options', default: {} })
  providerOptions: StoredProviderOptions;

  @Column('jsonb', { nullable: true })
  conversation: StoredConversation | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
