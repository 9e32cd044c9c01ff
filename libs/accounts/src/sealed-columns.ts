import type { Seal } from '@app/common';
import type { StoredWebhook } from '@app/db';
import { openHeaders, sealHeaders } from '@app/webhooks';
import { isDeepStrictEqual } from 'node:util';
import type { ColumnValue } from './save-row.js';
import type { WebhookNode } from './workspace-schema.js';

/** A secret for a bytea column. */
export function sealedText(seal: Seal, plain: string | null, context: string): ColumnValue {
  if (plain === null) return { value: null, equals: (stored) => stored === null };
  return {
    value: seal.seal(plain, context),
    equals: (stored) => Buffer.isBuffer(stored) && seal.open(stored, context) === plain,
  };
}

/** A webhook target for a jsonb column, its headers sealed. */
export function storedWebhook(seal: Seal, node: WebhookNode | null): ColumnValue {
  if (node === null) return { value: null, equals: (stored) => stored === null };
  const { url, method, headers } = node;
  const sealed = sealHeaders(seal, headers);
  const value: StoredWebhook = { url, method, ...(sealed ? { headers_sealed: sealed } : {}) };
  return { value, equals: (stored) => isSame(seal, stored as StoredWebhook | null, node) };
}

function isSame(seal: Seal, stored: StoredWebhook | null, node: WebhookNode): boolean {
  if (stored?.url !== node.url || stored.method !== node.method) return false;
  return isDeepStrictEqual(openHeaders(seal, stored.headers_sealed), node.headers);
}
