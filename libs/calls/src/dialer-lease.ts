import { rows } from '@app/database';
import type { Pool } from 'pg';

/** A dialer that has not renewed for this long is dead; its calls end or go back to the line. */
export const LEASE_SECONDS = 10;

/** Announces a dialer process. `id` is new at every start. */
export async function registerDialer(pool: Pool, id: string): Promise<void> {
  await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ($1, now() + $2 * interval '1 s')`, [
    id,
    LEASE_SECONDS,
  ]);
}

/** False: this dialer has been declared dead (it was frozen, or cut off, for too long); its calls are not its own any more. */
export async function renewDialer(pool: Pool, id: string): Promise<boolean> {
  const renewed = await rows(
    pool,
    {
      name: 'renew-dialer',
      text: `UPDATE dialers SET lease_until = now() + $2 * interval '1 s' WHERE id = $1 AND dead_at IS NULL RETURNING id`,
    },
    [id, LEASE_SECONDS],
  );
  return renewed.length > 0;
}

/** A dialer that leaves on purpose; it has ended its calls. What it claimed but never began goes back to the line. */
export async function retireDialer(pool: Pool, id: string): Promise<void> {
  await pool.query('UPDATE calls SET owner = NULL WHERE owner = $1 AND started_at IS NULL AND ended_at IS NULL', [id]);
  await pool.query('UPDATE dialers SET dead_at = now() WHERE id = $1 AND dead_at IS NULL', [id]);
}

/** Calls of this dialer that somebody wants cancelled. */
export async function cancelledCalls(pool: Pool, id: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    pool,
    {
      name: 'cancelled-calls',
      text: 'SELECT id FROM calls WHERE owner = $1 AND ended_at IS NULL AND cancel_requested_at IS NOT NULL',
    },
    [id],
  );
  return found.map((row) => row.id);
}

/**
 * The moment before the INVITE: from here on the call is never dialled again, whatever happens.
 * False: it was cancelled, or is not this dialer's any more, and must not be dialled.
 */
export async function beginDial(pool: Pool, call: { id: string; owner: string }): Promise<boolean> {
  const begun = await rows(
    pool,
    {
      name: 'begin-dial',
      text: `UPDATE calls SET started_at = now() WHERE id = $1 AND owner = $2 AND started_at IS NULL AND ended_at IS NULL
          AND cancel_requested_at IS NULL RETURNING id`,
    },
    [call.id, call.owner],
  );
  return begun.length > 0;
}
