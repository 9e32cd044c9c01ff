import { inTransaction, rows, type Sql, type StoredWebhook } from '@app/database';
import { deliveryRecord, writeDeliveries, type OutboxEvent } from '@app/webhooks';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import { type CallChange, eventOf, nextState } from './call-state.js';
import { statusEventData } from './call-view.js';

/** Whose call it is: every change of a live call names its dialer, so that one that lost the call cannot write to it. */
export interface OwnedCall {
  id: string;
  owner: string;
}

/** Locks the call when it still belongs to the dialer and has not ended. */
const LOCK_OWNED = {
  name: 'lock-owned-call',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE id = $1 AND owner = $2 AND ended_at IS NULL FOR UPDATE`,
};

const APPLY = {
  name: 'apply-call-status',
  text: `WITH changed AS (
      UPDATE calls SET status = $2, event_seq = event_seq + 1, webhook_seq = webhook_seq + 1,
          answered_at = CASE WHEN $2 = 'in_progress' THEN greatest(started_at, $3) ELSE answered_at END
        WHERE id = $1 RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT id, event_seq, 'status', jsonb_build_object('status', status) FROM changed)
    SELECT ${CALL_COLUMNS} FROM changed`,
};

export async function lockOwned(sql: Sql, call: OwnedCall): Promise<CallRow | undefined> {
  const [row] = await rows<CallRow>(sql, LOCK_OWNED, [call.id, call.owner]);
  return row;
}

/** Ringing or answered: the call row, its event and its webhook in one transaction. Undefined: not ours any more, or no change. */
export async function recordProgress(
  pool: Pool,
  call: OwnedCall,
  change: Extract<CallChange, 'ringing' | 'answered'>,
  at: Date,
): Promise<CallRow | undefined> {
  return inTransaction(pool, async (sql) => {
    const before = await lockOwned(sql, call);
    const status = before && nextState(before.status, change);
    if (!status) return undefined;
    const [row] = await rows<CallRow>(sql, APPLY, [call.id, status, at]);
    if (row) await announceStatus(sql, row, at);
    return row;
  });
}

/** The status webhook of a row that has just changed, when the call has a target for it. */
export async function announceStatus(sql: Sql, row: CallRow, at: Date): Promise<void> {
  const target = row.settings.call_status_webhook;
  if (target) await writeDeliveries(sql, [deliveryRecord(statusEvent(row, target, at))]);
}

/** Also made at the creation of a call, where it is `initiated`. */
export function statusEvent(row: CallRow, target: StoredWebhook, at: Date): OutboxEvent {
  return {
    accountId: row.account_id,
    callId: row.id,
    type: 'call-status',
    event: eventOf(row.status),
    sequence: row.webhook_seq,
    createdAt: at,
    target,
    data: statusEventData(row),
  };
}
