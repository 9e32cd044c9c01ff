import type { Sql } from '@app/database';

const AT_ONCE = 2_000;

/** Deletes attempts older than 30 days, the oldest first, a bounded number at a time. @returns how many there were. */
export async function purgeOldAttempts(sql: Sql): Promise<number> {
  const result = await sql.query(
    `DELETE FROM webhook_attempts WHERE id = ANY (ARRAY(
       SELECT id FROM webhook_attempts WHERE at < now() - interval '30 days' ORDER BY at LIMIT ${AT_ONCE}))`,
  );
  return result.rowCount ?? 0;
}
