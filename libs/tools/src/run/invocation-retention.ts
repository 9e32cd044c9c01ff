import { firstIdOf } from '@app/common';
import type { Sql } from '@app/database';

/** As long as the attempts of webhooks and the SIP messages of calls. */
const KEPT_DAYS = 30;
const AT_ONCE = 2_000;
const DAY_MS = 86_400_000;

/** Deletes invocations of more than 30 days ago with all that is theirs, the oldest first, a bounded number at a time. @returns how many there were. */
export async function purgeOldInvocations(sql: Sql, now = Date.now()): Promise<number> {
  const result = await sql.query(
    `DELETE FROM tool_invocations WHERE id = ANY (ARRAY(
       SELECT id FROM tool_invocations WHERE id < $1 ORDER BY id LIMIT ${AT_ONCE}))`,
    [firstIdOf(now - KEPT_DAYS * DAY_MS)],
  );
  return result.rowCount ?? 0;
}
