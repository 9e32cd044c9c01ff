import { distance } from 'fastest-levenshtein';
import { FIELD_NAMES } from './generated/field-names.js';

/** The response header that lists ignored fields: names and paths (`steps.0.expect`), separated by commas. */
export const IGNORED_FIELDS_HEADER = 'trunkline-ignored-fields';

/** An unknown body field or query parameter, which the service ignored. */
export interface IgnoredField {
  /** `recrod`, or a path: `webhook_actions.0.urll`. */
  name: string;
  method: string;
  /** Path of the API: `/api/v1/calls`. */
  path: string;
  /** The most similar field of the route, if one is similar enough. */
  meant: string | undefined;
}

/** The end of a list that the service truncated. */
const MORE = '...';

/** A similar name has at most one mistake per this many letters, and at least one is allowed. */
const LETTERS_PER_MISTAKE = 3;

/**
 * @param header value of `Trunkline-Ignored-Fields`; null when the response has none.
 * @param path path of the request or its route: `/api/v1/calls/{callId}`.
 */
export function ignoredFields(header: string | null, method: string, path: string): IgnoredField[] {
  if (header === null) return [];
  const known = knownNames(method, path);
  const names = header.split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '' && name !== MORE).map(decode);
  return given.map((name) => ({ name, method, path, meant: nearest(name, known) }));
}

/** `Trunkline ignored the unknown field recrod of POST /api/v1/calls. Did you mean record?` */
export function ignoredFieldText({ name, method, path, meant }: IgnoredField): string {
  const text = `Trunkline ignored the unknown field \`${name}\` of ${method} ${path}.`;
  return meant === undefined ? text : `${text} Did you mean \`${meant}\`?`;
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const [best] = known
    .map((one) => ({ one, mistakes: distance(last, one.toLowerCase()) }))
    .toSorted((a, b) => a.mistakes - b.mistakes);
  return best && best.mistakes <= Math.max(1, Math.floor(last.length / LETTERS_PER_MISTAKE)) ? best.one : undefined;
}

function knownNames(method: string, path: string): readonly string[] {
  const given = path.split('/');
  const found = Object.entries(FIELD_NAMES).find(([route]) => {
    const [verb, template = ''] = route.split(' ');
    const wanted = template.split('/');
    if (verb !== method.toUpperCase() || wanted.length !== given.length) return false;
    return wanted.every((part, index) => part === given[index] || part.startsWith('{'));
  });
  return found?.[1] ?? [];
}

/** Names with special characters are percent-encoded. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A percent sign of the name itself.
    return name;
  }
}
