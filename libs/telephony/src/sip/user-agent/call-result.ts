import type { SipResponse } from '../messages/message.js';

/** The SIP result of an outgoing call. */
export type CallResult =
  /** A final response other than 2xx, of the last tried target. */
  | { kind: 'rejected'; status: number; reason: string; q850?: number }
  /** No response of any target: Timer B, or the ring timeout before any response. */
  | { kind: 'silent' }
  /** The host name did not resolve, the connection was refused, or a send failed. */
  | { kind: 'unreachable' }
  /** The address check refused the destination. */
  | { kind: 'blocked' }
  /** It rang until the ring timeout. */
  | { kind: 'no-answer' }
  /** We gave up before the answer. */
  | { kind: 'cancelled' }
  /** Answered without a codec in common; hung up at once. */
  | { kind: 'no-media' }
  /** Answered with an audio address of an IP version that we do not speak; hung up at once. */
  | { kind: 'foreign-media' }
  /** Answered, and then the session was not refreshed in time (RFC 4028). */
  | { kind: 'session-expired' }
  /** Answered, then hung up. */
  | { kind: 'bye'; by: 'remote' | 'local'; q850?: number };

/** The failure of one target. */
export interface AttemptFailure {
  result: CallResult;
  /** The final response, when there was one. */
  response?: SipResponse;
  /** A phone may have rung. */
  rang: boolean;
}

/**
 * Whether the next target may be tried: this one was unreachable, silent until Timer B (RFC 3263 §4.3), or out of order (5xx). Never
 * after a phone may have rung: a second INVITE would ring it again, and the path has not failed.
 */
export function mayFailOver({ result, rang }: AttemptFailure): boolean {
  if (rang) return false;
  if (result.kind === 'rejected') return result.status >= 500 && result.status < 600;
  return result.kind === 'silent' || result.kind === 'unreachable';
}

/** A Contact of a 3xx refused: another one may still accept (RFC 3261 §8.1.3.4). A 6xx is final for all. */
export function isContactRefused({ result }: AttemptFailure): boolean {
  return result.kind === 'rejected' && result.status >= 400 && result.status < 600;
}

/** The target itself is out of order, not only the network behind it. */
export function isTargetFailure({ result }: AttemptFailure): boolean {
  if (result.kind === 'rejected') return result.status === 503;
  return result.kind === 'silent' || result.kind === 'unreachable';
}

/** `Retry-After: 120 (overload);duration=60` is two minutes. */
export function retryAfterMs(headers: SipResponse['headers']): number | undefined {
  const seconds = /^\s*(\d{1,6})\b/.exec(headers.get('retry-after') ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}
