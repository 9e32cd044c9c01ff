import type { WebhookType } from './delivery-record.js';
import type { DisabledReason } from './endpoint-health.js';
import type { Lane } from './retry-schedule.js';

/** A host as one account uses it. */
export interface AccountHost {
  account_id: number;
  host: string;
}

/** Key of an account's connection to one host. Accounts that share a host do not share a queue: a slow URL may be one account's own. */
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
  /** When `open` was read. */
  readAt: number;
  open: OpenDelivery[];
  /** Its next attempt is the probe of a half-open breaker. */
  probe: boolean;
}
