import type { AttemptResult } from './retry-schedule.js';

/** The state of an account's requests to one host; times in ms of the database's clock. */
export interface Breaker {
  windowStartedAt: number;
  requests: number;
  failures: number;
  /** Null: closed. In the past: half open, one request may try. */
  openUntil: number | null;
  /** Number of openings since the last closing. */
  openCount: number;
  /** A dispatcher sends the probe until this time; a time in the past counts as null. */
  probeUntil: number | null;
}

/** The results of one process since its last report. */
export interface HostReport {
  requests: number;
  failures: number;
  /** The result of the one request that a half-open breaker lets through; `unused`: there was nothing to send. */
  probe?: 'ok' | 'failed' | 'unused';
}

/** When a breaker opens, and for how long. */
export interface BreakerLimits {
  windowMs: number;
  leastRequests: number;
  /** 0 to 1. */
  failureShare: number;
  firstOpenMs: number;
  longestOpenMs: number;
  /** Waiting streams come back spread over this time, so that they do not overload a host that has just recovered. */
  spreadMs: number;
}

export const BREAKER_LIMITS: BreakerLimits = {
  windowMs: 5 * 60_000,
  leastRequests: 10,
  failureShare: 0.7,
  firstOpenMs: 30_000,
  longestOpenMs: 10 * 60_000,
  spreadMs: 3_000,
};

/** The breaker after a report. */
export function breakerAfter(breaker: Breaker, report: HostReport, now: number, limits = BREAKER_LIMITS): Breaker {
  if (report.probe === 'ok') return { ...fresh(now), requests: 1 };
  if (report.probe === 'failed') return opened(breaker, now, limits);
  if (report.probe === 'unused') return { ...breaker, probeUntil: null };
  // Requests that were in flight when it opened do not count.
  if (breaker.openUntil !== null) return breaker;
  const current = now - breaker.windowStartedAt < limits.windowMs ? breaker : fresh(now);
  const requests = current.requests + report.requests;
  const failures = current.failures + report.failures;
  const counted = { ...current, requests, failures };
  return hasTooManyFailures(counted, limits) ? opened(counted, now, limits) : counted;
}

export const hasTooManyFailures = (
  { requests, failures }: Pick<Breaker, 'requests' | 'failures'>,
  limits: BreakerLimits,
): boolean => requests >= limits.leastRequests && failures >= limits.failureShare * requests;

const fresh = (now: number): Breaker => ({
  windowStartedAt: now,
  requests: 0,
  failures: 0,
  openUntil: null,
  openCount: 0,
  probeUntil: null,
});

function opened({ openCount }: Breaker, now: number, limits: BreakerLimits): Breaker {
  const openMs = Math.min(limits.firstOpenMs * 2 ** openCount, limits.longestOpenMs);
  return { ...fresh(now), openUntil: now + openMs, openCount: openCount + 1 };
}

/**
 * Whether the host failed: no answer, 429 or 5xx. A host that answers 404, 401 or a redirect works; only the URL is wrong.
 * Undefined: nothing was sent.
 */
export function hostFailed(result: AttemptResult): boolean | undefined {
  if (result.kind === 'refused') return undefined;
  return result.kind === 'failed' || result.status === 429 || result.status >= 500;
}
