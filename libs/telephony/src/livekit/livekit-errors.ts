import type { SipEnd } from '../engine/embedded-leg.js';
import { type Outcome, outcomeOf } from '../engine/hangup-cause.js';

/** The result of a failed request to LiveKit's API. */
export interface CallFailure {
  outcome: Outcome;
  sip: SipEnd;
}

/** The used fields of an SDK error. Errors without `status` had no response. */
interface ApiError {
  status?: unknown;
  code?: unknown;
  message?: unknown;
  metadata?: Record<string, string>;
}

/** The values of LiveKit's DisconnectReason that concern a phone call. */
const USER_UNAVAILABLE = 11;
const USER_REJECTED = 12;
const SIP_TRUNK_FAILURE = 13;

const system = (cause: Outcome['cause']): CallFailure => ({
  outcome: { status: 'failed', cause, endedBy: 'system' },
  sip: {},
});

const result = (...args: Parameters<typeof outcomeOf>): CallFailure => ({ outcome: outcomeOf(...args), sip: {} });

/**
 * Why the call was not answered. The SIP status is in the metadata when the far end gave one; `rang`: it had been ringing, so that
 * a request that LiveKit gave up counts as unanswered.
 */
export function callFailure(error: unknown, rang: boolean): CallFailure {
  const { status, code, message, metadata } = error as ApiError;
  const sipCode = Number(metadata?.['sip_status_code']);
  if (sipCode >= 300 && sipCode < 700) return rejected(sipCode, metadata?.['sip_status'] ?? '');
  if (typeof status !== 'number') return result({ kind: 'unreachable' });
  if (code === 'canceled' || code === 'deadline_exceeded') return result({ kind: rang ? 'no-answer' : 'silent' });
  // livekit/sip has no error code for a challenge without credentials.
  if (code === 'failed_precondition' && /auth/i.test(String(message))) return system('auth_failed');
  if (code === 'invalid_argument') return system('request_refused');
  return system('service_unavailable');
}

const rejected = (status: number, reason: string): CallFailure => ({
  outcome: outcomeOf({ kind: 'rejected', status, reason }),
  sip: { sipCode: status, sipReason: reason },
});

/** The same when the phone left the room and the API has not said why. */
export function leftBeforeAnswer(reason: number | undefined): CallFailure {
  if (reason === USER_UNAVAILABLE) return result({ kind: 'rejected', status: 480, reason: '' });
  if (reason === USER_REJECTED) return result({ kind: 'rejected', status: 486, reason: '' });
  return system('service_unavailable');
}

/** How an answered call ended, as far as the room knows. */
export function leftAfterAnswer(reason: number | undefined): CallFailure {
  if (reason === SIP_TRUNK_FAILURE)
    return { outcome: { status: 'completed', cause: 'network_error', endedBy: 'system' }, sip: {} };
  return result({ kind: 'bye', by: 'remote' });
}

/** The target refused the call, so the next one may be tried. Every other failure may have left a call behind. */
export const mayTryNextTarget = ({ sip }: CallFailure): boolean => sip.sipCode === 503;

/** The SIP status in an error of a transfer. */
export function sipStatusOf(error: unknown): number | undefined {
  const status = Number((error as ApiError).metadata?.['sip_status_code']);
  return Number.isInteger(status) ? status : undefined;
}

/** For the operator: why LiveKit cannot be used. */
export function apiReason(error: unknown): string {
  const { status } = error as ApiError;
  if (status === 401 || status === 403) return 'LiveKit refuses the API key.';
  return typeof status === 'number' ? `LiveKit answers ${status}.` : 'LiveKit cannot be reached.';
}

/** The API refused the request: it had no effect. */
export function isRefusal(error: unknown): boolean {
  const { status } = error as ApiError;
  return typeof status === 'number' && status < 500;
}
