import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { WindowGrant } from './rate-limiter.js';

const WINDOW_SECONDS = 60;
const FORGOTTEN_AT_ONCE = 20_000;

const TAKEN = `least($2, greatest($3 - w.used, 0))`;

/**
 * A window begins with its first request, on the database's clock. The row is locked while it is counted, so the grants to all processes
 * never exceed the limit together. Prepared, because requests wait for it.
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

const FORGET = {
  name: 'forget-rate-windows',
  text: `DELETE FROM rate_windows WHERE key = ANY (ARRAY(
    SELECT key FROM rate_windows WHERE ends_at < now() ORDER BY ends_at LIMIT ${FORGOTTEN_AT_ONCE}))`,
};

/** Windows of one minute that all processes on this database share. */
@Injectable()
export class RateWindowsRepository {
  constructor(private readonly database: Database) {}

  /** Takes up to `wanted` requests from the current window of `key`. */
  async take(key: string, wanted: number, limit: number): Promise<WindowGrant> {
    const [taken] = await this.database.rows<{ granted: number; used: number; window: string; ends_in: string }>(TAKE, [
      key,
      wanted,
      limit,
    ]);
    if (!taken) throw new Error('The rate window was not counted.');
    const { granted, used, window } = taken;
    return { granted, used, window, endsInMs: Number(taken.ends_in) };
  }

  /** For a sweep: deletes ended windows, 20,000 at most; each client address leaves one. */
  async forgetEnded(): Promise<void> {
    await this.database.rows(FORGET);
  }
}
