import { afterAttempt, ONCE, type AttemptResult, type NextStep, type RetrySchedule } from './retry-schedule.js';
import type { LeasedStream, OpenDelivery } from './webhook-stream.js';

/** An attempt in the log. */
export interface Attempt {
  /** False: the service could not send the request. */
  sent: boolean;
  result: AttemptResult;
  status: number | null;
  /** A sentence for the owner of the endpoint; null after any answer. */
  error: string | null;
  latencyMs: number;
  /** The first 16 KiB of the answer. */
  responseHead: string | null;
  /** As sent, without the values of the user's headers. */
  requestHeaders: Record<string, string>;
}

/** An attempt and its effect on delivery and stream, for the database. */
export interface AttemptOutcome {
  stream_id: string;
  lease: string;
  delivery_id: string;
  attempt: number;
  state: string;
  slow_tries: number;
  /** Time until the next attempt; null: there is none. */
  delay_ms: number | null;
  status: number | null;
  error: string | null;
  latency_ms: number;
  response_head: string | null;
  request_headers: Record<string, string>;
  /** Keeps the lease for the next delivery; otherwise the stream is released, due after `wait_ms` (null: no delivery is open). */
  keep: boolean;
  /** Renews the lease of a kept stream. A young lease is not renewed, because each renewal writes a row and its four index entries. */
  renew: boolean;
  wait_ms: number | null;
}

/**
 * `settled`: stored. `lost`: another process has the lease and sends the delivery again. `busy`: another transaction has a row locked for
 * a moment, nothing was stored yet.
 */
export type StoredOutcome = { stream_id: string; outcome: 'settled' | 'lost' | 'busy'; due: boolean };

/** What happens to a delivery after an attempt. */
export function stepAfter(delivery: OpenDelivery, attempt: Attempt, schedule: RetrySchedule): NextStep {
  const tries = { lane: delivery.state, attempt: delivery.attempts + 1, slowTries: delivery.slow_tries };
  // The user who tests a target reads the result and sends the next test.
  return afterAttempt(tries, attempt.result, delivery.type === 'test' ? ONCE : schedule);
}

/** The open deliveries of a stream after an attempt at one of them. */
export function openAfter(
  open: readonly OpenDelivery[],
  delivery: OpenDelivery,
  step: NextStep,
  elapsedMs: number,
): OpenDelivery[] {
  if (!('delayMs' in step)) return open.filter((one) => one !== delivery);
  const due = { due_in_ms: elapsedMs + step.delayMs, state: step.state, slow_tries: step.slowTries };
  const later = { ...delivery, ...due, attempts: delivery.attempts + 1 };
  return open.map((one) => (one === delivery ? later : one));
}

/** `waitMs`: until a delivery of the stream is due; null: no delivery is open. */
export function outcomeOf(
  stream: LeasedStream,
  delivery: OpenDelivery,
  attempt: Attempt,
  step: NextStep,
  { keep, renew, waitMs }: { keep: boolean; renew: boolean; waitMs: number | null },
): AttemptOutcome {
  return {
    stream_id: stream.id,
    lease: stream.lease,
    delivery_id: delivery.id,
    attempt: delivery.attempts + 1,
    state: step.state,
    slow_tries: step.slowTries,
    delay_ms: 'delayMs' in step ? step.delayMs : null,
    status: attempt.status,
    error: attempt.error,
    latency_ms: attempt.latencyMs,
    response_head: attempt.responseHead,
    request_headers: attempt.requestHeaders,
    keep,
    renew,
    wait_ms: waitMs,
  };
}
