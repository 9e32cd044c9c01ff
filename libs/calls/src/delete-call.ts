import { type Acting, writeAudit } from '@app/audit';
import { Conflict, NotFound } from '@app/common';
import { type CallStatus, inTransaction, rows } from '@app/database';
import type { Storage } from '@app/storage';
import type { Pool } from 'pg';
import { isActive } from './call-state.js';
import type { RecordingFiles } from './recording-files.js';

const LOOK = {
  name: 'call-to-delete',
  text: 'SELECT status, recording_key FROM calls WHERE account_id = $1 AND id = $2',
};
const DELETE = { name: 'delete-call', text: 'DELETE FROM calls WHERE account_id = $1 AND id = $2' };

/**
 * Removes a call that has ended, with its recording, transcript and webhooks. Throws NotFound, or Conflict while the call is
 * active. The recording goes first, with what a dialer that died left of it on this machine: should the process die in between, a second delete finds the rest.
 */
export async function deleteCall(
  { pool, storage, recordings }: { pool: Pool; storage: Storage; recordings: RecordingFiles },
  { accountId, actor }: Acting,
  callId: string,
): Promise<void> {
  const [call] = await rows<{ status: CallStatus; recording_key: string | null }>(pool, LOOK, [accountId, callId]);
  if (!call) throw new NotFound('Call');
  // What has ended never becomes active again, so nothing needs a lock between the two statements.
  if (isActive(call.status)) {
    throw new Conflict('An active call cannot be deleted. Wait for it to complete or fail, or cancel it.');
  }
  if (call.recording_key) await storage.delete(call.recording_key);
  await recordings.remove(callId);
  await inTransaction(pool, async (tx) => {
    const deleted = await tx.query({ ...DELETE, values: [accountId, callId] });
    if (deleted.rowCount === 0) throw new NotFound('Call');
    await writeAudit(tx, { accountId, actor, action: 'call.deleted', subject: { kind: 'call', id: callId } });
  });
}
