import type { AgentOverrides, StoredTransferOptions, TransferMode } from '@app/agents';
import type { NumberQueue } from '@app/accounts';
import type { TimeWindow } from '@app/common/time-windows';
import type { StoredWebhook } from '@app/webhooks';
import type { AcceptedBy, DeclinedReason } from './warm-transfer.js';

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

/** `web`: the call of a web page; it has no number and no trunk. */
export const CALL_CHANNELS = ['phone', 'web'] as const;
export type CallChannel = (typeof CALL_CHANNELS)[number];

export const CALL_ENDED_BY = ['caller', 'callee', 'agent', 'carrier', 'system', 'api'] as const;
export type CallEndedBy = (typeof CALL_ENDED_BY)[number];

export const ANSWERED_BY = ['human', 'machine', 'unknown'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

export const ANSWER_RESULTS = ['human', 'voicemail', 'ivr', 'screening', 'fax', 'unknown'] as const;

/** The result of answering machine detection, as the agent session reports it. */
export interface RecordingConsentRecord {
  mode: 'announce' | 'ask';
  result: (typeof CONSENT_RESULTS)[number];
  at: string;
}

/** What was heard of the disclosure; both times are 0 in a conversation in text. */
export interface DisclosureRecord {
  language: string;
  heard_ms: number;
  of_ms: number;
  at: string;
}

/** A rule of the agent that applied. */
export interface GuardrailHitRecord {
  name: string;
  on: (typeof GUARDRAIL_SIDES)[number];
  action: (typeof GUARDRAIL_ACTIONS)[number];
  at_ms: number;
  /** The latest turn. */
  turn: number;
}

export const GUARDRAIL_SIDES = ['user', 'agent', 'tool'] as const;
export const GUARDRAIL_ACTIONS = ['block', 'replace', 'say', 'transfer', 'end', 'flag'] as const;

/** `not_asked`: a machine picked up, or the call was over before. */
export const CONSENT_RESULTS = ['announced', 'accepted', 'refused', 'no_answer', 'not_asked'] as const;

export interface AnsweringMachineRecord {
  result: (typeof ANSWER_RESULTS)[number];
  /** From 0 to 1. */
  confidence: number;
  evidence: Record<string, unknown>;
  decided_after_ms: number;
}

/** The settings of one call: those of its agent with the overrides of the request applied. */
export interface CallSettings {
  post_call_webhook?: StoredWebhook;
  call_status_webhook?: StoredWebhook;
  transfer?: TransferSettings;
  /** The called party does not see the number; absent: it does. */
  anonymous?: true;
  /** Replaces settings of the agent in this call: those of the request, under those of the pre-call webhook. */
  agent?: CallAgentOverrides;
  /** When the call may be dialled; absent: at any time. */
  schedule?: CallSchedule;
  /** The call arrived outside the hours of its number: the message is spoken, and the call ends. */
  closed?: { message: string; language: string | null };
  /** The caller waits for a free place, as the number says; absent: it had one. */
  queue?: NumberQueue;
  /** The outcome of the pre-call webhook, which is asked until one is stored; absent: not asked. */
  pre_call?: PreCallOutcome;
}

/** Where the calls of an agent are transferred to, and how. `phone_number`: the only destination when there is no list. */
export interface TransferSettings extends StoredTransferOptions {
  phone_number: string;
  caller_id_number_id?: number;
}

/** The request's limits of the time at which a call is dialled. */
export interface CallSchedule {
  /** ISO 8601. */
  not_before?: string;
  /** Local times of the zones; absent: any. */
  windows?: TimeWindow[];
  excluded_dates?: string[];
  /** IANA names: the call must be allowed in each of them. */
  time_zones?: string[];
}

/** The knowledge bases of a call have a column. */
export type CallAgentOverrides = Omit<AgentOverrides, 'knowledge_base_ids'>;

export interface PreCallOutcome {
  /** `failed`: no valid answer, and the agent goes on without one. */
  outcome: 'continued' | 'skipped' | 'failed';
  /** Of a skipped call: the answer's reason, or why the webhook failed. */
  reason?: string;
}

/** A live call and its dialer: every change names both, so that a dialer that lost the call cannot change it. */
export interface OwnedCall {
  id: string;
  owner: string;
}

export const TRANSFER_STATUSES = [
  ...(['dialing', 'ringing', 'briefing', 'in_progress', 'completed', 'declined'] as const),
  ...(['busy', 'no_answer', 'failed', 'cancelled'] as const),
] as const;
type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** One attempt to transfer a call. Times are ISO 8601. */
export interface TransferRecord {
  to_number: string;
  /** The displayed number; null when the remote party placed the call (REFER). */
  from_number: string | null;
  /** `bridge`: a second leg, connected with the first. `refer`: the remote party places the call (SIP REFER). */
  method: 'bridge' | 'refer';
  status: TransferStatus;
  mode: TransferMode;
  /** Name of the destination; null: it has none. */
  destination: string | null;
  started_at: string;
  answered_at: string | null;
  /** The caller was connected. */
  joined_at: string | null;
  ended_at: string | null;
  hangup_cause: string | null;
  sip_code: number | null;
  /** How the person accepted; null: not, or the transfer is cold. */
  accepted_by: AcceptedBy | null;
  /** Why an answered second leg was not connected. */
  declined_reason: DeclinedReason | null;
}

/** One line of the bill; the lines of a call add up to its cost exactly. */
export interface CostLine {
  kind: string;
  description: string;
  quantity: number;
  unit: string;
  unit_price_micros: number;
  amount_micros: number;
  price_book: string;
}
