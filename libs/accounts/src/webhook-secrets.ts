import type { Seal } from '@app/common';
import type { Sql } from '@app/db';
import { newWebhookSecret } from '@app/webhooks';

/** Every account has one from the start, so that no webhook ever leaves unsigned. */
export async function createWebhookSecret(sql: Sql, seal: Seal, accountId: number): Promise<void> {
  const sealed = seal.seal(newWebhookSecret(), 'webhook-secret');
  await sql.query('INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)', [accountId, sealed]);
}
