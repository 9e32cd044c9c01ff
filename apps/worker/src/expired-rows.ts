import { rows, type Sql } from '@app/db';
import { purgeOldAttempts } from '@app/webhooks';

const AT_ONCE = 2_000;

const EXPIRED_KEYS = {
  name: 'purge-idempotency-keys',
  text: `DELETE FROM idempotency_keys k USING (
      SELECT account_id, key FROM idempotency_keys
       WHERE created_at < now() - interval '24 hours' ORDER BY created_at LIMIT ${AT_ONCE}) expired
    WHERE k.account_id = expired.account_id AND k.key = expired.key`,
};

/** Deletes what is only kept for a time: idempotency keys (24 h) and webhook attempts (30 days), a bounded number of each. */
export async function purgeExpiredRows(sql: Sql): Promise<void> {
  await rows(sql, EXPIRED_KEYS);
  await purgeOldAttempts(sql);
}
