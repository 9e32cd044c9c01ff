import { type Acting, writeAudit } from '@app/audit';
import { Conflict } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import { isActive } from './call-state.js';
import type { Links } from './call-view.js';
import { endCall } from './finish.js';

const LOCK = {
  name: 'lock-call-for-cancel',
  text: `SELECT ${CALL_COLUMNS}, owner FROM calls WHERE account_id = $1 AND id = $2 FOR UPDATE`,
};

/**
 * Cancels a call: one that still waits in line ends here, one that a dialer has is hung up by it within half a second
 * (CANCEL before the answer, BYE after it). Returns the call as it is now; undefined: the account has no such call.
 * Throws Conflict when it has ended already.
 */
export async function requestCancel(
  pool: Pool,
  { accountId, actor }: Acting,
  callId: string,
  links: Links,
): Promise<CallRow | undefined> {
  return inTransaction(pool, async (sql) => {
    const [call] = await rows<CallRow & { owner: string | null }>(sql, LOCK, [accountId, callId]);
    if (!call) return undefined;
    if (!isActive(call.status)) throw new Conflict('The call has already ended and cannot be cancelled.');
    await writeAudit(sql, { accountId, actor, action: 'call.cancelled', subject: { kind: 'call', id: callId } });
    if (call.owner === null) {
      return endCall(sql, call, { change: 'cancelled', at: new Date(), cause: 'cancelled', endedBy: 'api' }, links);
    }
    await sql.query('UPDATE calls SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE id = $1', [
      callId,
    ]);
    return call;
  });
}
