import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A Standard Webhooks secret: 32 random bytes as `whsec_<base64>`. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/**
 * The value of `webhook-signature` (Standard Webhooks, https://www.standardwebhooks.com): one `v1,<base64>` per live secret, so that
 * a receiver that knows only one of them during a rotation can verify.
 * @param timestamp whole seconds since 1970, as sent in `webhook-timestamp`.
 * @param body the exact text that is sent; empty when there is no body.
 */
export function sign(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets.map((secret) => `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`).join(' ');
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(PREFIX, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
