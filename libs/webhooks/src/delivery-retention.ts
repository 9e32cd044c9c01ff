import { rows, type Sql } from '@app/database';

const PER_ACCOUNT = 500;
const AT_ONCE = 1_000;

/**
 * Deliveries that are over, oldest first; those that are still tried lie at most three days back and are passed over. Their attempts go
 * with them. The state is asked twice: one that is replayed in this moment has been promised another try. A stream without deliveries goes, too: with nothing due, nobody holds it, and what is written to it makes it anew.
 */
const DELETE = {
  name: 'delete-expired-deliveries',
  text: `WITH expired AS (
      SELECT d.id FROM accounts a CROSS JOIN LATERAL (
          SELECT id FROM webhook_deliveries
           WHERE account_id = a.id AND created_at < now() - a.deliveries_days * interval '1 day'
             AND state NOT IN ('pending', 'slow')
           ORDER BY created_at, id LIMIT ${PER_ACCOUNT}) d
       WHERE a.deliveries_days IS NOT NULL LIMIT ${AT_ONCE})
    DELETE FROM webhook_deliveries d USING expired WHERE d.id = expired.id AND d.state NOT IN ('pending', 'slow')
    RETURNING d.stream_id`,
};
const DELETE_EMPTY_STREAMS = {
  name: 'delete-empty-streams',
  text: `DELETE FROM webhook_streams s WHERE s.id = ANY ($1::bigint[]) AND s.next_at IS NULL AND s.lease_owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.stream_id = s.id)`,
};

/** Deletes deliveries that are older than their account wants, 1,000 at most. @returns how many there were. */
export async function deleteExpiredDeliveries(sql: Sql): Promise<number> {
  const deleted = await rows<{ stream_id: string }>(sql, DELETE);
  const streams = [...new Set(deleted.map((row) => row.stream_id))];
  if (streams.length > 0) await rows(sql, DELETE_EMPTY_STREAMS, [streams]);
  return deleted.length;
}
