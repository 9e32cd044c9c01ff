import { BREAKER_LIMITS, type BreakerLimits } from '../domain/breaker.js';
import { RETRY_SCHEDULE, type RetrySchedule } from '../domain/retry-schedule.js';
import { POST_CALL_WAIT_MS } from '../domain/webhook-stream.js';

/** `@Inject(DISPATCH_SETTINGS) settings: DispatchSettings`. */
export const DISPATCH_SETTINGS = Symbol('DISPATCH_SETTINGS');

/** Limits and times of a dispatcher; tests shorten them. */
export interface DispatchSettings {
  /**
   * Deliveries in flight, plus outcomes that wait for a statement or were returned by one because a row was locked: a crash of this
   * process, or a pause longer than its lease, repeats at most so many. As many again may be in running statements, which a crash of
   * PostgreSQL loses.
   */
  inFlight: number;
  perHost: number;
  /** A lease outlasts an attempt that starts in its first half. */
  leaseMs: number;
  schedule: RetrySchedule;
  postCallWaitMs: number;
  breaker: BreakerLimits;
}

export const DEFAULT_DISPATCH_SETTINGS: DispatchSettings = {
  inFlight: 16,
  perHost: 4,
  leaseMs: 30_000,
  schedule: RETRY_SCHEDULE,
  postCallWaitMs: POST_CALL_WAIT_MS,
  breaker: BREAKER_LIMITS,
};
