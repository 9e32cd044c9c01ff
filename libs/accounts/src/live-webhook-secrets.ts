import { Conflict, NotFound, type Encryption } from '@app/common';
import { rows, type Sql } from '@app/database';

/** A signing secret, as far as it may be seen again. */
export interface WebhookSecretHint {
  id: number;
  /** Its last four characters. */
  hint: string;
  created_at: Date;
  /** Of the older of two during a rotation; null: it signs until it is rotated. */
  expires_at: Date | null;
}

const LIVE = {
  name: 'webhook-secret-hints',
  text: `SELECT id, secret_sealed, created_at, expires_at FROM webhook_secrets
     WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
};

/** Those that webhooks are signed with, the newest first. Throws when they were sealed with another SECRET_KEY. */
export async function liveWebhookSecrets(
  sql: Sql,
  encryption: Encryption,
  accountId: number,
): Promise<WebhookSecretHint[]> {
  const found = await rows<Omit<WebhookSecretHint, 'hint'> & { secret_sealed: Buffer }>(sql, LIVE, [accountId]);
  return found.map(({ secret_sealed: sealed, ...secret }) => ({ ...secret, hint: hintOf(encryption, sealed) }));
}

const hintOf = (encryption: Encryption, sealed: Buffer): string =>
  `whsec_…${encryption.decrypt(sealed, 'webhook-secret').slice(-4)}`;

const EXPIRE = {
  name: 'expire-webhook-secret',
  text: `WITH live AS (
      SELECT id FROM webhook_secrets WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now())),
    expired AS (
      UPDATE webhook_secrets SET expires_at = now()
       WHERE account_id = $1 AND id = $2 AND id IN (SELECT id FROM live) AND id < (SELECT max(id) FROM live) RETURNING id)
    SELECT EXISTS (SELECT FROM live WHERE id = $2) AS live, EXISTS (SELECT FROM expired) AS expired`,
};

/**
 * Ends the older secret of a rotation before its time. Dispatchers notice within 5 s.
 * @throws NotFound when the account has no such live secret, Conflict when it is the newest: nothing could be signed.
 */
export async function expireWebhookSecret(tx: Sql, accountId: number, id: number): Promise<void> {
  const [row] = await rows<{ live: boolean; expired: boolean }>(tx, EXPIRE, [accountId, id]);
  if (!row?.live) throw new NotFound('Webhook secret');
  if (!row.expired) throw new Conflict('The newest secret signs all webhooks. Rotate it first.');
}
