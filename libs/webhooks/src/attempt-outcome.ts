import type { Attempt } from './deliver.js';
import type { HeldStream } from './held-streams.js';
import type { NextStep } from './retry-schedule.js';
import type { OpenDelivery, Settlement } from './streams.js';

/** The delivery as it stands after an attempt, or nothing when it is not open any more. */
export function moved(delivery: OpenDelivery, step: NextStep, elapsedMs: number): OpenDelivery[] {
  if (!('delayMs' in step)) return [];
  const due = { due_in_ms: elapsedMs + step.delayMs, state: step.state, slow_tries: step.slowTries };
  return [{ ...delivery, ...due, attempts: delivery.attempts + 1 }];
}

/** What is stored of an attempt; `waitMs` until something of its stream is due, null when nothing is open. */
export function settlement(
  stream: HeldStream,
  delivery: OpenDelivery,
  attempt: Attempt,
  step: NextStep,
  { keep, renew, waitMs }: { keep: boolean; renew: boolean; waitMs: number | null },
): Settlement {
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
