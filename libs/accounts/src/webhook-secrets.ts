import { type Acting, writeAudit } from '@app/audit';
import type { Encryption } from '@app/common';
import { rows, type Sql } from '@app/database';
import { newWebhookSecret } from '@app/webhooks';

const CONTEXT = 'webhook-secret';

/** Every account has one from the start, so that no webhook ever leaves unsigned. */
export async function createWebhookSecret(
  sql: Sql,
  encryption: Encryption,
  { accountId, actor }: Acting,
): Promise<void> {
  const sealed = encryption.encrypt(newWebhookSecret(), CONTEXT);
  const [made] = await rows<{ id: number }>(sql, { text: ADD }, [accountId, sealed]);
  const subject = { kind: 'webhook_secret', id: made?.id ?? 0 };
  await writeAudit(sql, { accountId, actor, action: 'webhook_secret.created', subject });
}

/** A receiver is told of the new secret within this time. */
export const DEFAULT_OVERLAP_HOURS = 24;
export const MAX_OVERLAP_HOURS = 7 * 24;

export interface RotatedSecret {
  id: number;
  /** `whsec_…`: shown this once. */
  secret: string;
  created_at: Date;
  /** Until then webhooks are signed with the secret before it, too; null when there was none. */
  previous_expires_at: Date | null;
}

const END_OLDER = `UPDATE webhook_secrets s
     SET expires_at = CASE WHEN s.id = newest.id THEN least(s.expires_at, now() + $2 * interval '1 hour') ELSE now() END
    FROM (SELECT max(id) AS id FROM webhook_secrets WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())) newest
   WHERE s.account_id = $1 AND (s.expires_at IS NULL OR s.expires_at > now())
  RETURNING s.expires_at, s.id = newest.id AS newest`;

const ADD = `INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2) RETURNING id, created_at`;

/**
 * A new secret, which signs beside the newest one so far for `overlapHours`; an older one that was still live ends now, so that
 * there are never more than two. Dispatchers notice within 5 s. Inside a transaction: two rotations at once follow each other.
 */
export async function rotateSecret(
  sql: Sql,
  encryption: Encryption,
  accountId: number,
  { overlapHours = DEFAULT_OVERLAP_HOURS }: { overlapHours?: number } = {},
): Promise<RotatedSecret> {
  await sql.query('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const ended = await rows<{ expires_at: Date; newest: boolean }>(sql, { text: END_OLDER }, [accountId, overlapHours]);
  const secret = newWebhookSecret();
  const [added] = await rows<{ id: number; created_at: Date }>(sql, { text: ADD }, [
    accountId,
    encryption.encrypt(secret, CONTEXT),
  ]);
  if (!added) throw new Error('The secret was not stored.');
  const previous = ended.find(({ newest }) => newest);
  return { ...added, secret, previous_expires_at: previous?.expires_at ?? null };
}
