import type { WebhookType } from './delivery-record.js';
import type { DisabledReason } from './endpoint-health.js';
import type { Lane } from './retry-schedule.js';

/** A host as one account uses it. */
export interface AccountHost {
  account_id: number;
  host: string;
}

/** Key of an account's connection to one host. Accounts that share a host do not share a queue: a slow URL may affect only one of them. */
export const routeOf = ({ account_id, host }: AccountHost): string => `${account_id}@${host}`;

/** A stream as the claim returns it. */
export interface ClaimedStream extends AccountHost {
  id: string;
  /** Of its breaker: null when closed, the time left when open, not positive when half open. */
  blocked_ms: number | null;
  /** Null: its endpoint is active. */
  disabled_reason: DisabledReason | null;
}

/** A delivery of a claimed stream. `due_in_ms` counts from the moment it was read. */
export interface OpenDelivery {
  id: string;
  stream_id: string;
  account_id: number;
  /** Null: of an invocation without a call. */
  call_id: string | null;
  type: WebhookType;
  event: string;
  sequence: number;
  method: string;
  url: string;
  headers_sealed: Buffer | null;
  body: string;
  /** Of an opened `request_sealed`. */
  digits?: [name: string, digits: string][];
  /** What is sent, where `url` and `body` are redacted. */
  request_sealed: Buffer | null;
  state: Lane;
  attempts: number;
  slow_tries: number;
  due_in_ms: number;
  /** Of the first span of its call; read only when this process traces. */
  trace_parent?: string | null;
}

/** A stream under a lease of this process. Times are of performance.now(). */
export interface LeasedStream extends ClaimedStream {
  lease: string;
  /** Before the statement that took or renewed the lease was sent, so never later than on the database's clock. */
  leasedAt: number;
  /** Before the statement that took the stream was sent, which found its endpoint active. */
  claimedAt: number;
  /** When `open` was read. */
  readAt: number;
  open: OpenDelivery[];
  /** Its next attempt is the probe of a half-open breaker. */
  probe: boolean;
}

/** The properties of an open delivery (neither delivered nor failed permanently) that determine the order of its stream. */
export interface Waiting {
  type: WebhookType;
  state: Lane;
  sequence: number;
  attempts: number;
  /** Time until the next attempt, from when it was read; negative when overdue. */
  due_in_ms: number;
}

export const POST_CALL_WAIT_MS = 2 * 60_000;

/**
 * The delivery of a stream to send now, or the wait until the next one; undefined: no delivery is open.
 * In the fast lane the lowest sequence blocks the rest; a delivery in the slow lane is sent on its own when it is due. A post-call
 * waits for the events before it, `postCallWaitMs` at most.
 * @param elapsedMs since the deliveries were read.
 */
export function nextInStream<T extends Waiting>(
  open: readonly T[],
  elapsedMs: number,
  postCallWaitMs: number,
): { delivery: T } | { waitMs: number } | undefined {
  // The usual case: all deliveries are in the fast lane and the head is due.
  const first = fastHead(open);
  if (first && first.due_in_ms <= elapsedMs) return { delivery: first };
  const inOrder = [...open].sort((a, b) => a.sequence - b.sequence);
  const fast = inOrder.filter((delivery) => delivery.state === 'pending');
  const head = fast[0];
  const candidates = [
    ...(head ? [{ delivery: head, dueInMs: head.due_in_ms }] : []),
    ...fast.slice(1).flatMap((delivery) => passing(delivery, postCallWaitMs)),
    ...inOrder.filter(({ state }) => state === 'slow').map((delivery) => ({ delivery, dueInMs: delivery.due_in_ms })),
  ];
  if (candidates.length === 0) return undefined;
  const due = candidates.find(({ dueInMs }) => dueInMs <= elapsedMs);
  if (due) return { delivery: due.delivery };
  return { waitMs: Math.min(...candidates.map(({ dueInMs }) => dueInMs)) - elapsedMs };
}

function fastHead<T extends Waiting>(open: readonly T[]): T | undefined {
  let head: T | undefined;
  for (const delivery of open)
    if (delivery.state === 'pending' && (!head || delivery.sequence < head.sequence)) head = delivery;
  return head;
}

/** Before its first attempt a delivery is due since it was written, on the database's clock: the wait counts from there. */
function passing<T extends Waiting>(delivery: T, postCallWaitMs: number): { delivery: T; dueInMs: number }[] {
  if (delivery.type !== 'post-call') return [];
  return [{ delivery, dueInMs: delivery.attempts === 0 ? delivery.due_in_ms + postCallWaitMs : delivery.due_in_ms }];
}
