import type { AttemptResult } from './retry-schedule.js';

/** What an account's requests to one host came to, times in ms of the database's clock. */
export interface Breaker {
  windowStartedAt: number;
  requests: number;
  failures: number;
  /** Null: closed. In the past: half open, one request may try. */
  openUntil: number | null;
  /** Times it opened since it was closed. */
  openCount: number;
  /** While somebody is trying; the past counts as null. */
  probeUntil: number | null;
}

/** What one process saw since it last told. */
export interface HostNews {
  requests: number;
  failures: number;
  /** Of the one request that a half-open breaker lets through; `unused`: there was nothing to send. */
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
  /** What waited comes back one after the other in this time: a host that has just recovered is not overrun. */
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

/** What the news makes of a breaker. */
export function afterNews(breaker: Breaker, news: HostNews, now: number, limits = BREAKER_LIMITS): Breaker {
  if (news.probe === 'ok') return { ...fresh(now), requests: 1 };
  if (news.probe === 'failed') return opened(breaker, now, limits);
  if (news.probe === 'unused') return { ...breaker, probeUntil: null };
  // Requests that were under way when it opened say nothing new.
  if (breaker.openUntil !== null) return breaker;
  const current = now - breaker.windowStartedAt < limits.windowMs ? breaker : fresh(now);
  const requests = current.requests + news.requests;
  const failures = current.failures + news.failures;
  const counted = { ...current, requests, failures };
  return tooManyFailures(counted, limits) ? opened(counted, now, limits) : counted;
}

export const tooManyFailures = (
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
 * Whether the host is to blame: it did not answer, is overloaded or broken. A host that answers 404, 401 or a redirect is well; one of
 * its URLs is not. Undefined: nothing was sent.
 */
export function hostFailed(result: AttemptResult): boolean | undefined {
  if (result.kind === 'refused') return undefined;
  return result.kind === 'failed' || result.status === 429 || result.status >= 500;
}
