import type { Encryption } from '@app/common';
import type { WebhookHeader } from '@app/webhooks';
import type { ToolAction } from './tool.js';

/** A header of an action; values may hold placeholders. */
export interface ActionHeader extends WebhookHeader {
  /** Shown as MASK. */
  secret: boolean;
}

/** What a secret value is shown as; given back, it stands for the value that is stored. */
export const MASK = '********';

/** Another one than that of webhooks: a sealed list cannot be moved to a place where it is shown or sent. */
const CONTEXT = 'tool-headers';

/** Null when there are none. */
export function encryptActionHeaders(encryption: Encryption, headers: readonly ActionHeader[]): Buffer | null {
  return headers.length === 0 ? null : encryption.encrypt(JSON.stringify(headers), CONTEXT);
}

/** The headers in the clear, for the request that is made with them. Throws when they were sealed with another SECRET_KEY. */
export function decryptActionHeaders(
  encryption: Encryption,
  { headersEncrypted }: Pick<ToolAction, 'headersEncrypted'>,
): ActionHeader[] {
  return headersEncrypted === null ? [] : (JSON.parse(encryption.decrypt(headersEncrypted, CONTEXT)) as ActionHeader[]);
}

/** Names whose values are secret unless it is said that they are not. */
const SECRET_NAME =
  /^(?:authorization|cookie)$|(?:^|[-_])(?:auth|key|apikey|password|secret|session|signature|token)$/i;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Headers as an answer has them; null when there are none. */
export function shownHeaders(headers: readonly ActionHeader[]): Record<string, string> | null {
  if (headers.length === 0) return null;
  return Object.fromEntries(headers.map(({ key, value, secret }) => [key, secret ? MASK : value]));
}
