import { rows, type Sql } from '@app/database';
import type { TakeWindow } from './rate-leases.js';

export const WINDOW_SECONDS = 60;

const TAKEN = `least($2, greatest($3 - w.used, 0))`;

/**
 * A window begins with its first request, on the database's clock. What is granted never adds up to more than the limit, however
 * many processes ask: the row is locked while it is counted.
 */
const TAKE = {
  name: 'take-rate-window',
  text: `INSERT INTO rate_windows AS w (key, used, granted, ends_at)
    VALUES ($1, least($2::integer, $3::integer), least($2, $3), clock_timestamp() + interval '${WINDOW_SECONDS} seconds')
    ON CONFLICT (key) DO UPDATE SET
      used = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.used ELSE w.used + ${TAKEN} END,
      granted = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.used ELSE ${TAKEN} END,
      ends_at = CASE WHEN w.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE w.ends_at END
    RETURNING granted, used, ends_at::text AS window, extract(epoch FROM ends_at - clock_timestamp()) * 1000 AS ends_in`,
};

/** Windows of a minute that all processes on this database share. */
export const sharedWindows =
  (sql: Sql): TakeWindow =>
  async (key, wanted, limit) => {
    const [taken] = await rows<{ granted: number; used: number; window: string; ends_in: string }>(sql, TAKE, [
      key,
      wanted,
      limit,
    ]);
    if (!taken) throw new Error('The rate window was not counted.');
    const { granted, used, window } = taken;
    return { granted, used, window, endsInMs: Number(taken.ends_in) };
  };

const FORGET = `DELETE FROM rate_windows WHERE key = ANY (ARRAY(
  SELECT key FROM rate_windows WHERE ends_at < now() ORDER BY ends_at LIMIT 20000))`;

/** For a sweeper: removes windows that are over, 20,000 at most: every address that ever asked would leave one. */
export async function forgetRateWindows(sql: Sql): Promise<void> {
  await sql.query(FORGET);
}
