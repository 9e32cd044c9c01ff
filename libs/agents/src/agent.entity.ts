import type { Redaction } from '@app/privacy';
import type { ModelName, ReasoningEffort, SynthesizerName, TranscriberName } from '@app/common';
import type { AgentHandoff, Flow } from '@app/flow';
import type { StoredWebhook } from '@app/webhooks';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import type { StoredDisclosure } from './domain/disclosure.js';
import type { AnalysisSettings } from './domain/analysis-settings.js';
import type { StoredTransferOptions } from './domain/transfer-settings.js';
import type { VariableDeclaration } from './domain/variables.js';

/** Asked before each call. */
export interface StoredPreCallWebhook extends StoredWebhook {
  /** When it fails or its answer is invalid. */
  on_error: 'continue' | 'skip';
}

/** The reaction of an agent to an answering machine. */
export interface StoredAnsweringMachine {
  /** false: calls are not screened. */
  detect: boolean;
  on_machine: 'hang_up' | 'leave_message' | 'go_on';
  /** Spoken by `leave_message`. */
  message: string;
  /** How long `leave_message` waits for the beep at most. */
  wait_for_beep_seconds: number;
  /** On a service that asks who is calling. Absent: as on_machine. */
  on_screening?: 'answer' | 'hang_up' | 'go_on';
  /** Spoken by `answer`. */
  screening_message?: string;
  /** On a menu or an announcement. Absent: as on_machine. */
  on_ivr?: 'hang_up' | 'go_on';
}

/** Digits that an agent may ask for, with the tool `collect_digits`. */
export interface StoredDigitInput {
  name: string;
  description?: string;
  prompt: string;
  retry_prompt?: string;
  min_length: number;
  max_length: number;
  finish_key: '#' | '*' | '';
  timeout_seconds: number;
  attempts: number;
  secure: boolean;
  validate?: 'luhn';
}

/** A rule about what is said, or which tools run. */
export interface StoredGuardrail {
  name: string;
  on: 'user' | 'agent' | 'tool';
  pattern?: string;
  topics?: string[];
  policy?: string;
  on_timeout?: 'allow' | 'block';
  action: 'block' | 'replace' | 'say' | 'transfer' | 'end' | 'flag';
  text?: string;
}

/** How the other party learns of the recording, or agrees to it. */
export interface StoredRecordingConsent {
  mode: 'announce' | 'ask';
  message: string;
  /** Absent: that of the agent. */
  language?: string;
  /** Of the other party's number; empty: all. */
  prefixes: string[];
  accept_keys: string;
  on_refusal: 'continue_without_recording' | 'hang_up';
  refusal_message?: string;
}

/** Conversation settings of an agent; absent ones have their defaults. */
export interface StoredConversation {
  /** Silence of both sides before an idle prompt, and the number of prompts. */
  idle?: { after_seconds?: number; prompts?: number };
  /** Speech of the user that ducks or interrupts the agent; its first `guard_ms` cannot be interrupted. */
  barge_in?: { duck_ms?: number; interrupt_ms?: number; guard_ms?: number };
  /** Phrases that the service speaks, not the model. */
  phrases?: { filler?: string; moment?: string; idle?: string; goodbye?: string; apology?: string };
  /** BCP 47 tag. */
  language?: string;
  /** The detector of the user's voice. */
  voice_activity?: 'energy' | 'neural';
  noise_suppression?: boolean;
  /** Sound while a tool works. */
  tool_sound?: 'off' | 'typing' | 'music';
}

/** Turn detection of the provider; absent numbers have its defaults. */
export type StoredTurnDetection =
  | { type: 'server_vad'; threshold?: number; prefix_padding_ms?: number; silence_ms?: number }
  | { type: 'semantic_vad'; eagerness?: 'low' | 'medium' | 'high' | 'auto' };

interface StoredLegChoice<Name extends string> {
  provider: Name;
  model?: string;
}

type StoredTranscriber = StoredLegChoice<TranscriberName> & { keywords?: string[] };
type StoredModel = StoredLegChoice<ModelName> & {
  temperature?: number;
  max_tokens?: number;
  reasoning_effort?: ReasoningEffort;
};
type StoredSynthesizer = StoredLegChoice<SynthesizerName> & { voice?: string; speed?: number; instructions?: string };

/** A leg and the legs that take over in their order. */
type StoredLeg<Choice> = Choice & { fallbacks?: Choice[] };

/** Legs and turn-taking of the provider `pipeline`; absent legs are sandbox legs. */
export interface StoredPipeline {
  transcriber?: StoredLeg<StoredTranscriber>;
  model?: StoredLeg<StoredModel>;
  synthesizer?: StoredLeg<StoredSynthesizer>;
  turns?: {
    after_punctuation_ms?: number;
    without_punctuation_ms?: number;
    longest_ms?: number;
    acknowledgements?: string[];
    speculation?: boolean;
  };
  pronunciations?: { text: string; spoken: string }[];
  /** Beside the language of the conversation. */
  languages?: string[];
}

/** Settings of one provider; absent ones have the default of the operator or the provider. */
export interface StoredProviderChoice {
  model?: string;
  voice?: string;
  transcription_model?: string;
  turn_detection?: StoredTurnDetection;
  /** Only for `pipeline`. */
  pipeline?: StoredPipeline;
  /** Script of a scripted agent; only for `sandbox` and sandbox legs of a pipeline. */
  script?: unknown;
}

export interface StoredProviderOptions extends StoredProviderChoice {
  /** Take over in this order when the previous provider fails permanently. */
  fallbacks?: (StoredProviderChoice & { provider: string })[];
}

@Entity('agents')
@Check(
  'agents_canary_check',
  '(canary_version IS NULL) = (canary_percent IS NULL) AND (canary_percent IS NULL OR canary_percent BETWEEN 1 AND 99)',
)
@Check('agents_max_call_seconds_check', 'max_call_seconds BETWEEN 1 AND 14400')
@Check('agents_ring_timeout_seconds_check', 'ring_timeout_seconds BETWEEN 1 AND 600')
@Unique('agents_account_id_name_key', ['accountId', 'name'])
export class AgentEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'agents_account_id_fkey', onDelete: 'CASCADE' })
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

  @Column('jsonb', { name: 'pre_call_webhook', nullable: true })
  preCallWebhook: StoredPreCallWebhook | null;

  @Column('boolean', { name: 'transfer_enabled', default: false })
  transferEnabled: boolean;

  @Column('text', { name: 'transfer_phone_number', nullable: true })
  transferPhoneNumber: string | null;

  @ForeignKey('phone_numbers', { name: 'agents_transfer_caller_id_number_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { name: 'transfer_caller_id_number_id', nullable: true })
  transferCallerIdNumberId: number | null;

  /** null: a cold transfer to the number. */
  @Column('jsonb', { name: 'transfer_options', nullable: true })
  transferOptions: StoredTransferOptions | null;

  /** The agent may put the other party on the do-not-call list. */
  @Column('boolean', { name: 'do_not_call_tool', default: false })
  doNotCallTool: boolean;

  /** The agent may pause and resume the recording. */
  @Column('boolean', { name: 'pause_recording_tool', default: false })
  pauseRecordingTool: boolean;

  @Column('jsonb', { name: 'digit_inputs', default: [] })
  digitInputs: StoredDigitInput[];

  /** null: calls are recorded without. */
  @Column('jsonb', { name: 'recording_consent', nullable: true })
  recordingConsent: StoredRecordingConsent | null;

  @Column('jsonb', { default: [] })
  guardrails: StoredGuardrail[];

  /** Sentences that are spoken before everything else. */
  @Column('jsonb', { default: [] })
  disclosure: StoredDisclosure[];

  /** In addition to that of the account; null: nothing more. */
  @Column('jsonb', { nullable: true })
  redaction: Redaction | null;

  /** null: calls are not screened. */
  @Column('jsonb', { name: 'answering_machine', nullable: true })
  answeringMachine: StoredAnsweringMachine | null;

  @Column('jsonb', { name: 'provider_options', default: {} })
  providerOptions: StoredProviderOptions;

  @Column('jsonb', { nullable: true })
  conversation: StoredConversation | null;

  /** null: calls are not analysed. */
  @Column('jsonb', { nullable: true })
  analysis: AnalysisSettings | null;

  /** null: one conversation without steps. */
  @Column('jsonb', { nullable: true })
  flow: Flow | null;

  /** The agents that the model may hand calls over to. */
  @Column('jsonb', { default: [] })
  handoffs: AgentHandoff[];

  /** The values that the texts of the agent take from each call. */
  @Column('jsonb', { default: [] })
  variables: VariableDeclaration[];

  /** IANA time zone of `{{now}}`; null: UTC. */
  @Column('text', { nullable: true })
  timezone: string | null;

  /** Counts up with every change to the agent's knowledge bases. bigint, so text. */
  @Column('bigint', { name: 'knowledge_version', default: 0 })
  knowledgeVersion: string;

  /** Number of the current version, whose settings are the columns above. */
  @Column('integer', { default: 1 })
  version: number;

  /** The highest number that a version of the agent has had. */
  @Column('integer', { name: 'last_version', default: 1 })
  lastVersion: number;

  /** The version that takes `canaryPercent` of the new calls; null: none. */
  @Column('integer', { name: 'canary_version', nullable: true })
  canaryVersion: number | null;

  @Column('integer', { name: 'canary_percent', nullable: true })
  canaryPercent: number | null;

  /** Names of scenarios of the agent that must pass before a version is published. */
  @Column('text', { name: 'publish_requires', array: true, default: [] })
  publishRequires: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
