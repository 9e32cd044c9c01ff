import { TRUNK_LEG_COUNT } from '@app/accounts';
import { isoTime } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import type { OwnedCall } from './transition.js';

/** One try to hand a call over to somebody else. Times are ISO 8601. */
export interface TransferRecord {
  to_number: string;
  /** What the other party saw; null when the far end placed the call (REFER). */
  from_number: string | null;
  /** `bridge`: a second leg of ours, joined with the first. `refer`: the far end was asked to call. */
  method: 'bridge' | 'refer';
  status: 'dialing' | 'ringing' | 'in_progress' | 'completed' | 'busy' | 'no_answer' | 'failed' | 'cancelled';
  started_at: string;
  answered_at: string | null;
  ended_at: string | null;
  hangup_cause: string | null;
  sip_code: number | null;
}

/** Longer than this nobody waits for a place on the trunk: the caller is on the line. */
const LONGEST_WAIT_MS = 2_000;

/** Claims lock the same row: the limits of a trunk are decided one call at a time. */
const LOCK_ACCOUNT = {
  name: 'transfer-lock-account',
  text: 'SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE',
};

const ROOM = {
  name: 'transfer-room',
  text: `SELECT t.concurrent_calls IS NULL OR ${TRUNK_LEG_COUNT} < t.concurrent_calls AS free, t.calls_per_second AS rate,
      greatest(0, coalesce(extract(epoch FROM g.next_dial_at - now()) * 1000, 0))::float8 AS wait_ms
    FROM sip_trunks t LEFT JOIN trunk_gates g ON g.trunk_id = t.id WHERE t.id = $1 AND t.account_id = $2`,
};

const TAKE = {
  name: 'transfer-take',
  text: 'UPDATE calls SET transfer_trunk_id = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING 1 AS taken',
};

const PACE = {
  name: 'transfer-pace',
  text: `INSERT INTO trunk_gates (trunk_id, next_dial_at) VALUES ($1, now() + $2 * interval '1 ms')
    ON CONFLICT (trunk_id) DO UPDATE SET next_dial_at = excluded.next_dial_at`,
};

/**
 * A place for a second leg on a trunk, within its concurrency and calls per second.
 * @returns in how many ms it may be dialled; undefined: the trunk is full, or the call is not this dialer's any more.
 */
export async function takeTransferLine(
  pool: Pool,
  call: OwnedCall,
  trunk: { id: number; accountId: number },
): Promise<number | undefined> {
  return inTransaction(pool, async (sql) => {
    await sql.query('INSERT INTO dial_gates (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [trunk.accountId]);
    await rows(sql, LOCK_ACCOUNT, [trunk.accountId]);
    const args = [trunk.id, trunk.accountId];
    const [room] = await rows<{ free: boolean; rate: number | null; wait_ms: number }>(sql, ROOM, args);
    if (!room?.free || room.wait_ms > LONGEST_WAIT_MS) return undefined;
    if ((await rows(sql, TAKE, [call.id, call.owner, trunk.id])).length === 0) return undefined;
    if (room.rate !== null) await rows(sql, PACE, [trunk.id, room.wait_ms + 1000 / room.rate]);
    return room.wait_ms;
  });
}

const RECORD = {
  name: 'record-transfers',
  text: `UPDATE calls SET transfers = $3, transfer_trunk_id = CASE WHEN $4 THEN transfer_trunk_id END
    WHERE id = $1 AND owner = $2 AND ended_at IS NULL`,
};

/** `live`: the last one is still on the line, and keeps its place on the trunk. */
export async function recordTransfers(
  pool: Pool,
  call: OwnedCall,
  transfers: readonly TransferRecord[],
  live: boolean,
): Promise<void> {
  await rows(pool, RECORD, [call.id, call.owner, JSON.stringify(transfers), live]);
}

/** As they are shown: what was on the line when the call's dialer died ended with the call. */
export function transfersOf(call: { transfers: TransferRecord[]; ended_at: Date | null }): TransferRecord[] {
  const { transfers, ended_at: endedAt } = call;
  if (!endedAt) return transfers;
  return transfers.map((one) => (one.ended_at ? one : { ...one, status: 'failed', ended_at: isoTime(endedAt) }));
}
