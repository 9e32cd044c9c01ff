/** When a delivery is tried again; all times in ms, each spread by ±`jitter`. */
export interface RetrySchedule {
  /** Waits before the tries of the fast lane; the stream waits behind them. */
  fastMs: readonly number[];
  /** Waits before the tries of the slow lane; later events pass. */
  slowMs: readonly number[];
  jitter: number;
  /** A longer Retry-After moves the delivery to the slow lane, so that others do not wait for it. */
  fastLimitMs: number;
  slowLimitMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A minute of fast tries, then about three days. */
export const RETRY_SCHEDULE: RetrySchedule = {
  fastMs: [0, 1 * SECOND, 5 * SECOND, 15 * SECOND, 45 * SECOND],
  slowMs: [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  jitter: 0.2,
  fastLimitMs: 1 * MINUTE,
  slowLimitMs: 24 * HOUR,
};

/** One attempt, without retries. */
export const ONCE: RetrySchedule = { ...RETRY_SCHEDULE, fastMs: [0], slowMs: [] };

export type Lane = 'pending' | 'slow';

/** A delivery just after an attempt. */
export interface Tries {
  lane: Lane;
  /** Attempts made, this one included. */
  attempt: number;
  /** Attempts made in the slow lane before this one. */
  slowTries: number;
}

export type AttemptResult =
  | { kind: 'answered'; status: number; retryAfterMs?: number }
  /** No usable answer: timeout, closed or refused connection, unknown name. */
  | { kind: 'failed' }
  /** The target is not allowed; nothing was sent. */
  | { kind: 'refused' };

export type NextStep =
  { state: 'delivered' | 'dead' | 'refused'; slowTries: number } | { state: Lane; slowTries: number; delayMs: number };

const RETRY_AFTER_STATUSES = new Set([429, 502, 503, 504]);
/** Temporary 4xx (RFC 9110 §15.5.9, RFC 8470, RFC 6585). */
const PASSING_4XX = new Set([408, 425, 429]);

/** The state of a delivery after an attempt, and the time until the next one. `random` returns numbers from 0 to 1. */
export function afterAttempt(
  tries: Tries,
  result: AttemptResult,
  schedule: RetrySchedule = RETRY_SCHEDULE,
  random: () => number = Math.random,
): NextStep {
  const { slowTries } = tries;
  if (result.kind === 'refused') return { state: 'refused', slowTries };
  const status = result.kind === 'answered' ? result.status : undefined;
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered', slowTries };
  // 410: the receiver asks for no further requests.
  if (status === 410) return { state: 'dead', slowTries };
  const asked = result.kind === 'answered' && RETRY_AFTER_STATUSES.has(result.status) ? (result.retryAfterMs ?? 0) : 0;
  const spread = (ms: number) => Math.round(ms * (1 + schedule.jitter * (2 * random() - 1)));
  const fastWait = schedule.fastMs[tries.attempt];
  const staysFast =
    tries.lane === 'pending' && fastWait !== undefined && !isLasting(status) && asked <= schedule.fastLimitMs;
  if (staysFast) return { state: 'pending', slowTries, delayMs: Math.max(spread(fastWait), asked) };
  const tried = tries.lane === 'slow' ? slowTries + 1 : 0;
  const slowWait = schedule.slowMs[tried];
  if (slowWait === undefined) return { state: 'dead', slowTries: tried };
  return {
    state: 'slow',
    slowTries: tried,
    delayMs: Math.max(spread(slowWait), Math.min(asked, schedule.slowLimitMs)),
  };
}

/** A permanent 4xx: a retry within seconds does not help, so later events must not wait for it. */
const isLasting = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && !PASSING_4XX.has(status);
