import { NotFound } from '@app/common';
import { rows, type Sql } from '@app/database';
import { type AttemptRow, attemptView, DELIVERY_COLUMNS, type DeliveryRow, deliveryView } from './delivery-view.js';

/** Thirteen by itself; who replays again and again sees the last ones. Each has up to 16 KiB of an answer. */
const MOST_ATTEMPTS = 30;

const ONE = {
  name: 'one-webhook-delivery',
  text: `SELECT ${DELIVERY_COLUMNS}, body,
      (SELECT coalesce(json_agg(json_build_object('attempt', w.attempt, 'at', w.at, 'status', w.status, 'latency_ms', w.latency_ms,
          'error', w.error, 'answer', w.response_head, 'request_headers', w.request_headers) ORDER BY w.attempt), '[]')
        FROM (SELECT * FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id
               ORDER BY attempt DESC LIMIT ${MOST_ATTEMPTS}) w) AS tries
    FROM webhook_deliveries WHERE account_id = $1 AND id = $2`,
};

const ROW = {
  name: 'webhook-delivery-row',
  text: `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE account_id = $1 AND id = $2`,
};

interface FoundRow extends DeliveryRow {
  body: string;
  tries: AttemptRow[];
}

/** With the text that is sent and its last 30 tries, the oldest first. Throws NotFound when the account has no such delivery. */
export async function findDelivery(sql: Sql, accountId: number, id: string) {
  const [found] = await rows<FoundRow & Record<string, unknown>>(sql, ONE, [accountId, id]);
  if (!found) throw new NotFound('Webhook delivery');
  return { ...deliveryView(found), body: found.body, attempts: found.tries.map(attemptView) };
}

/** Throws NotFound when the account has no such delivery. */
export async function deliveryRow(sql: Sql, accountId: number, id: string): Promise<DeliveryRow> {
  const [found] = await rows<DeliveryRow & Record<string, unknown>>(sql, ROW, [accountId, id]);
  if (!found) throw new NotFound('Webhook delivery');
  return found;
}
