import { type Encryption, type FieldErrors, InvalidFields, withCode } from '@app/common';
import { isSameOrigin } from '@app/egress';
import { MASK, type WebhookHeader } from '@app/webhooks';
import type { NewAction, ToolAction } from './tool.js';

/** A header of an action; values may hold placeholders. */
export interface ActionHeader extends WebhookHeader {
  /** Shown as MASK. */
  secret: boolean;
}

/** Differs from the context of webhook headers, so an encrypted list cannot be moved to a place that shows or sends it. */
const CONTEXT = 'tool-headers';

/** null: there are no headers. */
export function encryptActionHeaders(encryption: Encryption, headers: readonly ActionHeader[]): Buffer | null {
  return headers.length === 0 ? null : encryption.encrypt(JSON.stringify(headers), CONTEXT);
}

/** The decrypted headers. Throws when they were encrypted with another SECRET_KEY. */
export function decryptActionHeaders(
  encryption: Encryption,
  { headersEncrypted }: Pick<ToolAction, 'headersEncrypted'>,
): ActionHeader[] {
  return headersEncrypted === null ? [] : (JSON.parse(encryption.decrypt(headersEncrypted, CONTEXT)) as ActionHeader[]);
}

/** Names whose values are secret unless `secret` is false. */
const SECRET_NAME =
  /^(?:authorization|cookie)$|(?:^|[-_])(?:auth|key|apikey|password|secret|session|signature|token)$/i;

const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** The headers of a request to create or update an action. */
export const actionHeaders = ({ headers }: Pick<NewAction, 'headers'>): ActionHeader[] =>
  Object.entries(headers ?? {}).map(([key, given]) => {
    const { value, secret = isSecretName(key) } = typeof given === 'string' ? { value: given } : given;
    return { key, value, secret };
  });

/** Headers as the API returns them; null when there are none. */
export function shownHeaders(headers: readonly ActionHeader[]): Record<string, string> | null {
  if (headers.length === 0) return null;
  return Object.fromEntries(headers.map(({ key, value, secret }) => [key, secret ? MASK : value]));
}

/** A stored action with decrypted headers. */
interface StoredAction {
  name: string;
  url: string;
  headers: ActionHeader[];
}

/**
 * The headers of each new action; masks are replaced by the values of the stored action with the same name. An action that moves to
 * another origin needs new values: otherwise a client that may change a tool could send its secrets to a host of its choice.
 * @throws InvalidFields
 */
export function mergeMaskedHeaders(actions: readonly NewAction[], stored: readonly StoredAction[]): ActionHeader[][] {
  const errors: FieldErrors = {};
  const headers = actions.map((action, index) =>
    actionHeaders(action).map((header) => {
      if (header.value !== MASK) return asShown(action, header, stored);
      const kept = storedHeader(action, header.key, stored);
      if (typeof kept !== 'string') return kept;
      errors[`webhook_actions.${index}.headers.${header.key}`] = [withCode('missing', kept)];
      return header;
    }),
  );
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return headers;
}

const headerOf = (action: StoredAction | undefined, key: string): ActionHeader | undefined =>
  action?.headers.find((one) => one.key.toLowerCase() === key.toLowerCase());

/** A header that is sent back as it was shown stays shown, whatever its name is. */
function asShown({ name, headers }: NewAction, header: ActionHeader, stored: readonly StoredAction[]): ActionHeader {
  if (typeof headers?.[header.key] !== 'string') return header;
  const before = headerOf(
    stored.find((action) => action.name === name),
    header.key,
  );
  return before?.value === header.value && !before.secret ? { ...header, secret: false } : header;
}

/** The stored header, or an error message. */
function storedHeader({ name, url }: NewAction, key: string, stored: readonly StoredAction[]): ActionHeader | string {
  const before = stored.find((action) => action.name === name);
  const header = headerOf(before, key);
  if (!before || !header) return `The value ${MASK} stands for a stored value, and the action ${name} has none.`;
  // The origin has no placeholders.
  if (!isSameOrigin(before.url, url)) return 'The value must be given anew: the action goes to another host.';
  return { ...header, key };
}
