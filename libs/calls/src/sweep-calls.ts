import type { Log } from '@app/common';
import { inTransaction, rows } from '@app/db';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import type { Links } from './call-view.js';
import { endCall } from './finish.js';

const BATCH = 50;

const ORPHANS = {
  name: 'orphaned-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls
      WHERE ended_at IS NULL AND owner IN (SELECT id FROM dialers WHERE dead_at IS NOT NULL)
      ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
};

interface SweptCalls {
  ended: string[];
  requeued: string[];
}

/**
 * Ends what dead dialers left behind, as failed/worker_lost; what they had claimed but not begun goes back to the line.
 * A call whose INVITE may have left is never dialled again. Any process may run this, several at once too.
 */
export async function endLostCalls(pool: Pool, links: Links, log: Log): Promise<void> {
  await pool.query('UPDATE dialers SET dead_at = now() WHERE dead_at IS NULL AND lease_until < now()');
  const swept: SweptCalls = { ended: [], requeued: [] };
  for (;;) {
    const found = await inTransaction(pool, async (sql) => {
      const orphans = await rows<CallRow>(sql, ORPHANS);
      const waiting = orphans.filter((call) => call.started_at === null).map((call) => call.id);
      await sql.query('UPDATE calls SET owner = NULL WHERE id = ANY ($1::uuid[])', [waiting]);
      const lost = orphans.filter((call) => call.started_at !== null);
      for (const call of lost) {
        await endCall(sql, call, { change: 'failed', at: new Date(), cause: 'worker_lost', endedBy: 'system' }, links);
      }
      swept.requeued.push(...waiting);
      swept.ended.push(...lost.map((call) => call.id));
      return orphans.length;
    });
    if (found < BATCH) break;
  }
  if (swept.ended.length > 0) log.warn({ calls: swept.ended }, 'calls of a lost dialer were ended');
  if (swept.requeued.length > 0) log.warn({ calls: swept.requeued }, 'calls of a lost dialer wait again');
}
