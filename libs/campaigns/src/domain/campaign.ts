import type { AnalysedField } from '@app/call-analysis';
import type { TimeWindow } from '@app/common/time-windows';

export const CAMPAIGN_STATUSES = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Why a campaign is paused. */
export const PAUSE_REASONS = [
  'requested',
  'failure_rate',
  'agent_inactive',
  'no_number',
  'trunk_inactive',
  'spend_limit',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/**
 * `waiting`: will be dialled. `calling`: has a call that has not ended. `reached`: a person answered, or a machine that counts.
 * `exhausted`: no attempt is left. `refused`: must not be dialled. `cancelled`: by a request.
 */
export const CONTACT_STATUSES = ['waiting', 'calling', 'reached', 'exhausted', 'refused', 'cancelled'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** The outcome of the last attempt. A failed one has the hangup cause of its call beside it. */
export const CONTACT_OUTCOMES = ['human', 'machine', 'unknown', 'busy', 'no_answer', 'failed', 'cancelled'] as const;
export type ContactOutcome = (typeof CONTACT_OUTCOMES)[number];

/** Why a waiting contact is looked at later. */
export const WAITING_REASONS = ['waiting_for_window', 'waiting_for_retry', 'not_before', 'contact_limit'] as const;

/** Why a contact is not called any more. */
const FINAL_REASONS = [
  'campaign_cancelled',
  'campaign_ended',
  'do_not_call',
  'attempts_exhausted',
  'blocked_destination',
  'invalid_number',
  'missing_variables',
  'missing_disclosure',
  'skipped_by_webhook',
  'never_open',
  'call_cancelled',
  'removed',
] as const;

/** The reason that the row of a contact has. */
export type StoredReason = (typeof WAITING_REASONS)[number] | (typeof FINAL_REASONS)[number];

/** Why a contact was not called, or not yet. Those of the campaign as a whole are not stored with the contacts. */
export const CONTACT_REASONS = [
  ...(['campaign_draft', 'campaign_paused', 'waiting_for_start', 'waiting_for_capacity'] as const),
  ...WAITING_REASONS,
  ...FINAL_REASONS,
] as const;
export type ContactReason = (typeof CONTACT_REASONS)[number];

/** When contacts may be called. */
export interface CampaignSchedule {
  /** IANA name; of contacts without a zone of their own or of their number. */
  time_zone: string;
  /** Local times of the contact. Empty: always. */
  windows: TimeWindow[];
  /** Local dates without calls, `YYYY-MM-DD`. */
  excluded_dates: string[];
  /** ISO 8601; null: at once, and without an end. */
  start_at: string | null;
  end_at: string | null;
}

/** What happens after an attempt that did not reach the contact. */
export interface CampaignRetry {
  /** Of one contact, the first one included. */
  max_attempts: number;
  /** Minutes until the next attempt; an outcome that is missing here is not repeated. */
  delay_minutes: { busy?: number; no_answer?: number; machine?: number; failed?: number };
  /** Minutes by the hangup cause of a failed attempt; they precede `failed`. null: not repeated. */
  causes: Record<string, number | null>;
  /** Absent or null: every answer of a person counts. */
  unless?: RetryUnless | null;
}

/** An answered contact is called again unless the analysis of its call says this. */
export interface RetryUnless {
  /** Path of a value of the analysis; or `rubric`: the name of a question. */
  field?: string;
  rubric?: string;
  /** One of these. */
  equals: (string | number | boolean)[];
  /** Until the next attempt. */
  delay_minutes: number;
  /** The contact waits this long for the analysis, and is settled without it afterwards. */
  wait_minutes: number;
}

/** What an analysis said about `retry.unless`. */
export interface ContactAnalysis {
  /** Of the analysis of the call. */
  version: number;
  /** Path of the value, or name of the question. */
  name: string;
  value: unknown;
  /** The value is one of `equals`. */
  matches: boolean;
  evidence: AnalysedField['evidence'];
}

export interface CampaignPacing {
  /** Calls of the campaign at once; null: as many as the account allows. */
  concurrent_calls: number | null;
  calls_per_second: number | null;
  /** Percent of the account's concurrent calls that the campaign leaves to other calls. */
  reserve_percent: number;
  /** Seconds after the start within which the concurrency grows to its limit; 0: at once. */
  ramp_up_seconds: number;
  /** Pauses the campaign when `failure_percent` of the last `calls` ended as failed; null: never. */
  breaker: { calls: number; failure_percent: number } | null;
}

export const NUMBER_ROTATIONS = ['round_robin', 'nearest_prefix'] as const;
export type NumberRotation = (typeof NUMBER_ROTATIONS)[number];

/** The settings that a request gives, with their defaults. */
export const CAMPAIGN_DEFAULTS = {
  schedule: { time_zone: 'UTC', windows: [], excluded_dates: [], start_at: null, end_at: null },
  retry: { max_attempts: 3, delay_minutes: { busy: 15, no_answer: 60, failed: 60 }, causes: {} },
  pacing: {
    concurrent_calls: null,
    calls_per_second: null,
    reserve_percent: 10,
    ramp_up_seconds: 0,
    breaker: { calls: 50, failure_percent: 50 },
  },
} satisfies { schedule: CampaignSchedule; retry: CampaignRetry; pacing: CampaignPacing };
