import type { AnsweredBy, CallStatus } from '@app/calls';
import type { AnalysisResult } from '@app/call-analysis';
import type {
  CampaignRetry,
  ContactAnalysis,
  ContactOutcome,
  ContactStatus,
  PauseReason,
  RetryUnless,
  StoredReason,
} from './campaign.js';

/** The ended call of an attempt. */
export interface EndedCall {
  status: CallStatus;
  /** The first INVITE; null: none was sent. */
  started_at: Date | null;
  answered_at: Date | null;
  answered_by: AnsweredBy | null;
  ended_at: Date;
  hangup_cause: string | null;
  /** The newest analysis; absent: none has ended, or the campaign does not ask for it. */
  analysis?: { version: number; result: AnalysisResult };
}

/** What becomes of a contact after an attempt. */
export interface Settlement {
  status: ContactStatus;
  /** null: the contact was not dialled, and keeps the outcome of the attempt before. */
  outcome: ContactOutcome | null;
  reason: StoredReason | null;
  /** When a waiting contact is looked at next; null: at once. */
  dueAt: Date | null;
  /** The attempt counts. */
  counts: boolean;
  /** For the breaker; undefined: it says nothing about the calls of the campaign. */
  result?: 'failed' | 'other';
  pause?: PauseReason;
  /** Of `retry.unless`. */
  analysis?: ContactAnalysis;
}

/** A contact limit is looked at again after this time. */
const LIMIT_MS = 3_600_000;

/** Causes without an INVITE that say nothing about the contact. */
const NOT_DIALLED: readonly string[] = [
  'campaign_stopped',
  'outside_window',
  'drained',
  'queue_expired',
  'deactivated',
];

/** Another attempt would be in vain. */
const INVALID_NUMBER: readonly string[] = ['unallocated_number', 'invalid_number_format', 'number_changed'];

const refused = (reason: StoredReason): Settlement => ({
  status: 'refused',
  outcome: null,
  reason,
  dueAt: null,
  counts: false,
});

const waiting = (reason: StoredReason | null, dueAt: Date | null = null): Settlement => ({
  status: 'waiting',
  outcome: null,
  reason,
  dueAt,
  counts: false,
});

const cancelled: Settlement = {
  status: 'cancelled',
  outcome: 'cancelled',
  reason: 'call_cancelled',
  dueAt: null,
  counts: true,
};

/** `attempts`: of the contact, with this one. `call` undefined: it was deleted. */
export function settle(attempts: number, call: EndedCall | undefined, retry: CampaignRetry): Settlement {
  if (!call) return cancelled;
  const undialled = call.started_at === null ? settleUndialled(call) : undefined;
  if (undialled) return undialled;
  if (call.answered_at) return settleAnswered(attempts, call, retry);
  if (call.status === 'cancelled') return cancelled;
  const { hangup_cause: cause } = call;
  const outcome = call.status === 'busy' || call.status === 'no_answer' ? call.status : 'failed';
  const result = outcome === 'failed' ? 'failed' : 'other';
  const isNamed = cause !== null && Object.hasOwn(retry.causes, cause);
  if (cause === 'blocked_destination') return { ...refused('blocked_destination'), outcome, counts: true, result };
  if (cause !== null && INVALID_NUMBER.includes(cause) && !isNamed)
    return { ...refused('invalid_number'), outcome, counts: true, result };
  const delay = isNamed ? retry.causes[cause] : retry.delay_minutes[outcome];
  return { ...again(attempts, call, delay, retry), outcome, result };
}

/** undefined: the attempt counts although no INVITE was sent, because the next one could end like it. */
function settleUndialled({ status, hangup_cause: cause, ended_at: at }: EndedCall): Settlement | undefined {
  if (cause === 'do_not_call') return refused('do_not_call');
  if (cause === 'contact_limit') return waiting('contact_limit', new Date(at.getTime() + LIMIT_MS));
  if (cause === 'skipped_by_webhook') return refused('skipped_by_webhook');
  if (cause === 'spend_limit') return { ...waiting(null), pause: 'spend_limit' };
  if (cause !== null && NOT_DIALLED.includes(cause)) return waiting(null);
  return status === 'cancelled' ? { ...cancelled, counts: false } : undefined;
}

function settleAnswered(attempts: number, call: EndedCall, retry: CampaignRetry): Settlement {
  const outcome = call.answered_by ?? 'unknown';
  const { machine } = retry.delay_minutes;
  const result = 'other';
  if (outcome === 'machine' && machine !== undefined)
    return { ...again(attempts, call, machine, retry), outcome, result };
  const analysis = outcome !== 'machine' && retry.unless ? answerTo(retry.unless, call.analysis) : undefined;
  if (analysis && !analysis.matches)
    return { ...again(attempts, call, retry.unless?.delay_minutes, retry), outcome, result, analysis };
  return {
    ...(analysis ? { analysis } : {}),
    status: 'reached',
    outcome,
    reason: null,
    dueAt: null,
    counts: true,
    result,
  };
}

/** undefined: there is no analysis in time, so the answer of a person counts. */
function answerTo(
  { field, rubric, equals }: RetryUnless,
  analysis: EndedCall['analysis'],
): ContactAnalysis | undefined {
  if (!analysis) return undefined;
  const { fields, rubric: answers } = analysis.result;
  const found =
    rubric === undefined ? fields.find(({ path }) => path === field) : answers.find(({ name }) => name === rubric);
  const value = found?.value ?? null;
  const matches = equals.some((one) => one === value);
  const name = rubric ?? field ?? '';
  return { version: analysis.version, name, value, matches, evidence: found?.evidence ?? [] };
}

function again(
  attempts: number,
  { ended_at: at }: EndedCall,
  minutes: number | null | undefined,
  retry: CampaignRetry,
): Omit<Settlement, 'outcome'> {
  if (minutes === null || minutes === undefined || attempts >= retry.max_attempts)
    return { status: 'exhausted', reason: 'attempts_exhausted', dueAt: null, counts: true };
  const dueAt = new Date(at.getTime() + minutes * 60_000);
  return { status: 'waiting', reason: 'waiting_for_retry', dueAt, counts: true };
}
