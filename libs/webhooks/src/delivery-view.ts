import { isoTime, timeOrNull } from '@app/common';
import type { DeliveryState } from './delivery-state.js';
import { endpointOf } from './endpoints.js';
import type { WebhookType } from './outbox.js';

/** The columns of `webhook_deliveries` that views are made of, in the order of DeliveryRow. */
export const DELIVERY_COLUMNS = `id, type, event, call_id,
  (SELECT s.invocation_id FROM webhook_streams s WHERE s.id = stream_id) AS invocation_id,
  sequence, method, url, state, attempts, next_at, last_status, last_error, created_at, delivered_at, replayed_at`;

export interface DeliveryRow {
  id: string;
  type: WebhookType;
  event: string;
  call_id: string | null;
  invocation_id: string | null;
  sequence: number;
  method: string;
  url: string;
  state: DeliveryState;
  attempts: number;
  next_at: Date;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  delivered_at: Date | null;
  replayed_at: Date | null;
}

/** One try, as `json_agg` gives it. */
export interface AttemptRow {
  attempt: number;
  at: string;
  status: number | null;
  latency_ms: number;
  error: string | null;
  answer: string | null;
  request_headers: Record<string, string>;
}

/** A delivery as the API shows it: its URL without the query, which may hold keys. */
export function deliveryView(row: DeliveryRow) {
  const isOpen = row.state === 'pending' || row.state === 'slow';
  return {
    id: row.id,
    type: row.type,
    event: row.event,
    call_id: row.call_id,
    invocation_id: row.invocation_id,
    sequence: row.sequence,
    method: row.method,
    url: endpointOf(row.url),
    state: row.state,
    attempt_count: row.attempts,
    next_attempt_at: isOpen ? isoTime(row.next_at) : null,
    last_status: row.last_status,
    last_error: row.last_error,
    created_at: isoTime(row.created_at),
    delivered_at: timeOrNull(row.delivered_at),
    replayed_at: timeOrNull(row.replayed_at),
  };
}

export type DeliveryView = ReturnType<typeof deliveryView>;

export const attemptView = ({ attempt, at, status, latency_ms, error, answer, request_headers }: AttemptRow) => ({
  attempt,
  at: isoTime(new Date(at)),
  status,
  latency_ms,
  error,
  answer,
  request_headers,
});
