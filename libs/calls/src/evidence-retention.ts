import { firstIdOf } from '@app/common';
import type { Sql } from '@app/database';

/** How long SIP messages are kept; a call keeps its statistics. */
const KEPT_DAYS = 30;
const AT_ONCE = 5_000;
const DAY_MS = 86_400_000;

/** Deletes SIP messages of calls older than 30 days, the oldest first, a bounded number at a time. @returns how many there were. */
export async function forgetSipMessages(sql: Sql, now = Date.now()): Promise<number> {
  const result = await sql.query(
    `DELETE FROM call_sip_messages WHERE (call_id, seq) IN (
       SELECT call_id, seq FROM call_sip_messages WHERE call_id < $1 ORDER BY call_id, seq LIMIT ${AT_ONCE})`,
    [firstIdOf(now - KEPT_DAYS * DAY_MS)],
  );
  return result.rowCount ?? 0;
}
