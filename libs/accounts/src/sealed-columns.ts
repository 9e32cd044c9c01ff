import type { Encryption } from '@app/common';
import type { StoredWebhook } from '@app/database';
import { openHeaders, sealHeaders } from '@app/webhooks';
import { isDeepStrictEqual } from 'node:util';
import type { ColumnValue } from './save-row.js';
import type { WebhookNode } from './workspace-schema.js';

/** A secret for a bytea column. */
export function sealedText(encryption: Encryption, plain: string | null, context: string): ColumnValue {
  if (plain === null) return { value: null, equals: (stored) => stored === null };
  return {
    value: encryption.encrypt(plain, context),
    equals: (stored) => Buffer.isBuffer(stored) && encryption.decrypt(stored, context) === plain,
  };
}

/** A webhook target for a jsonb column, its headers sealed. */
export function storedWebhook(encryption: Encryption, node: WebhookNode | null): ColumnValue {
  if (node === null) return { value: null, equals: (stored) => stored === null };
  const { url, method, headers } = node;
  const sealed = sealHeaders(encryption, headers);
  const value: StoredWebhook = { url, method, ...(sealed ? { headers_sealed: sealed } : {}) };
  return { value, equals: (stored) => isSame(encryption, stored as StoredWebhook | null, node) };
}

function isSame(encryption: Encryption, stored: StoredWebhook | null, node: WebhookNode): boolean {
  if (stored?.url !== node.url || stored.method !== node.method) return false;
  return isDeepStrictEqual(openHeaders(encryption, stored.headers_sealed), node.headers);
}
