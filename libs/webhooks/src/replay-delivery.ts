import { Conflict } from '@app/common';
import { rows, type Sql } from '@app/database';
import { deliveryView, type DeliveryView } from './delivery-view.js';
import { disabledAmong } from './endpoints.js';
import { deliveryRow } from './find-delivery.js';

/*
 * A replay is one more try of the same delivery: same id, body and target. The delivery goes back into the order of its stream,
 * which is woken in the same statement; a dispatcher that holds the stream sees that by the lower `next_at` (see streams.ts). Its
 * attempts go on counting, so that one which has had its fast tries blocks nobody: after one more it is in the slow lane, from
 * its beginning.
 */

/** What a replay does to a row `d`. One on its way stays as it is, and is tried now instead of later. */
export const REPLAYED = `state = 'pending', next_at = now(), replayed_at = now(), delivered_at = NULL,
  slow_tries = CASE WHEN d.state = 'pending' THEN d.slow_tries ELSE 0 END`;

/** Before its first try it is due already, or stands behind what has to end first (an action behind those that are waited for). */
export const REPLAYABLE = `NOT (d.state = 'pending' AND d.attempts = 0)`;

const REPLAY = {
  name: 'replay-webhook-delivery',
  text: `WITH found AS (
      SELECT d.stream_id FROM webhook_deliveries d WHERE d.account_id = $1 AND d.id = $2 AND ${REPLAYABLE}),
    woken AS (
      UPDATE webhook_streams s SET next_at = least(s.next_at, now()) FROM found WHERE s.id = found.stream_id RETURNING s.id)
    UPDATE webhook_deliveries d SET ${REPLAYED} FROM woken WHERE d.stream_id = woken.id AND d.id = $2 AND ${REPLAYABLE}`,
};

/** One more try now. Nothing is queued twice: one that waits for its first try is as it was. */
export async function makeDueAgain(sql: Sql, accountId: number, id: string): Promise<void> {
  await rows(sql, REPLAY, [accountId, id]);
}

/**
 * Has a delivery tried again with the same `webhook-id`, whatever became of it.
 * @throws NotFound when the account has no such delivery, Conflict when its endpoint is disabled.
 */
export async function replayDelivery(tx: Sql, accountId: number, id: string): Promise<DeliveryView> {
  const found = await deliveryRow(tx, accountId, id);
  if ((await disabledAmong(tx, accountId, [found.url])).length > 0) {
    throw new Conflict('The endpoint of the delivery is disabled. Enable it first.');
  }
  await makeDueAgain(tx, accountId, id);
  return deliveryView(await deliveryRow(tx, accountId, id));
}
