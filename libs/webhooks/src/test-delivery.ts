import { isoTime, newId } from '@app/common';
import { rows, type Sql, type StoredWebhook } from '@app/database';

/** A webhook that is tried: as it would be sent, to its target. */
export interface TestWebhook {
  accountId: number;
  /** Whose webhook is tried; null: a target that nobody has yet. */
  agentId: number | null;
  target: StoredWebhook;
}

const WRITE = {
  name: 'write-test-delivery',
  text: `WITH stream AS (
      INSERT INTO webhook_streams (account_id, url, host, next_at) VALUES ($2, $4, $5, now()) RETURNING id)
    INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, headers_sealed, body, created_at)
    SELECT $1, stream.id, $2, 'test', 'test', 1, $3, $4, decode($6, 'base64'), $7, $8 FROM stream`,
};

/** A signed event of type `test` in the outbox, in a stream of its own. @returns its id: delivery and `webhook-id`. */
export async function writeTestDelivery(tx: Sql, { accountId, agentId, target }: TestWebhook): Promise<string> {
  const id = newId();
  const createdAt = isoTime(new Date());
  const data = { message: 'This is a test of your webhook.', agent_id: agentId };
  const body = JSON.stringify({ id, type: 'test', event: 'test', created_at: createdAt, sequence: 1, data });
  const { method, url, headers_sealed: headers = null } = target;
  await rows(tx, WRITE, [id, accountId, method, url, new URL(url).host, headers, body, createdAt]);
  return id;
}
