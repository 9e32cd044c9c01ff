import { type FieldErrors, InvalidFields } from '@app/common';
import { sameOrigin } from '@app/egress';
import { type ActionHeader, MASK } from './action-headers.js';
import { headersOf, type NewAction } from './new-tool.js';

/** An action as it is stored, its headers in the clear. */
export interface StoredAction {
  name: string;
  url: string;
  headers: ActionHeader[];
}

/**
 * The headers of each new action, with stored values in the place of masks: those of the stored action of the same name. They
 * go to where they were meant for only: another host takes a new value, or whoever may change a tool could have its secrets
 * sent to himself. Throws InvalidFields.
 */
export function mergeMaskedHeaders(actions: readonly NewAction[], stored: readonly StoredAction[]): ActionHeader[][] {
  const errors: FieldErrors = {};
  const headers = actions.map((action, index) =>
    headersOf(action).map((header) => {
      if (header.value !== MASK) return header;
      const kept = keptHeader(action, header.key, stored);
      if (typeof kept !== 'string') return kept;
      errors[`webhook_actions.${index}.headers.${header.key}`] = [kept];
      return header;
    }),
  );
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return headers;
}

/** The header, or a sentence that says why there is none. */
function keptHeader({ name, url }: NewAction, key: string, stored: readonly StoredAction[]): ActionHeader | string {
  const before = stored.find((action) => action.name === name);
  const header = before?.headers.find((one) => one.key.toLowerCase() === key.toLowerCase());
  if (!before || !header) return `The value ${MASK} stands for a stored value, and the action ${name} has none.`;
  // Placeholders stand behind the origin.
  if (!sameOrigin(before.url, url)) return 'The value must be given anew: the action goes to another host.';
  return { ...header, key };
}
