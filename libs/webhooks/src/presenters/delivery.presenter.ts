import { isoTime, timeOrNull } from '@app/common';
import type { DeliveryState, WebhookType } from '../domain/delivery-record.js';
import { endpointOf } from '../domain/endpoint-health.js';

/** A row of `webhook_deliveries`, with the invocation of its stream. */
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

/** One attempt at a delivery or at the action of a tool, as `json_agg` returns it. */
export interface AttemptRow {
  attempt: number;
  at: string;
  status: number | null;
  latency_ms: number;
  error: string | null;
  answer: string | null;
  request_headers: Record<string, string>;
}

/** A delivery in the API. The URL has no query, which may contain keys. */
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

export interface DeliveryWithAttempts extends DeliveryRow {
  body: string;
  tries: AttemptRow[];
}

/** A delivery with its body and its last attempts. */
export const deliveryDetails = (row: DeliveryWithAttempts) => ({
  ...deliveryView(row),
  body: row.body,
  attempts: row.tries.map(attemptView),
});

export type DeliveryDetails = ReturnType<typeof deliveryDetails>;
