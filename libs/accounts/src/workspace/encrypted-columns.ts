import type { Encryption } from '@app/common';
import type { StoredWebhook } from '@app/database';
import { openHeaders, sealHeaders } from '@app/webhooks';
import { isDeepStrictEqual } from 'node:util';
import type { WebhookNode } from './agent-schema.js';

// A text encrypts to other bytes every time: an unchanged secret keeps its stored bytes, so that its record is unchanged.

/** A secret for a bytea column. */
export function encryptedText(
  encryption: Encryption,
  context: string,
  plain: string | null,
  stored: Buffer | null | undefined,
): Buffer | null {
  if (plain === null) return null;
  if (stored && encryption.decrypt(stored, context) === plain) return stored;
  return encryption.encrypt(plain, context);
}

/** A webhook target for a jsonb column, with encrypted headers. */
export function encryptedWebhook(
  encryption: Encryption,
  node: WebhookNode | null,
  stored: StoredWebhook | null | undefined,
): StoredWebhook | null {
  if (node === null) return null;
  const { url, method, headers } = node;
  if (stored?.url === url && stored.method === method) {
    if (isDeepStrictEqual(openHeaders(encryption, stored.headers_sealed), headers)) return stored;
  }
  const encrypted = sealHeaders(encryption, headers);
  return { url, method, ...(encrypted ? { headers_sealed: encrypted } : {}) };
}
