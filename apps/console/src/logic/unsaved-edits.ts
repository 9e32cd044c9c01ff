/** The values of a form by input, in the order of the page. */
export type FieldValues = Readonly<Record<string, readonly string[]>>;

/** Edits of a form that were not saved, as the browser keeps them. */
export interface StoredEdits {
  /** The record for people: `the agent Receptionist`. */
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The values that differ from those of the record. */
  fields: FieldValues;
  /** What the record had in these fields. */
  before: FieldValues;
  /** Labels of fields with a value that is not kept: it may be a secret, or is a file. */
  withheld: readonly string[];
}

const sameValues = (one: readonly string[] | undefined, other: readonly string[] | undefined): boolean =>
  one?.length === other?.length && (one ?? []).every((value, index) => value === other?.[index]);

/** The fields of `after` whose values are others than before. Fields that are gone have no values. */
export function changedFields(before: FieldValues, after: FieldValues): FieldValues {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !sameValues(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? []]));
}

/** Whether the record has other values than when the edits began, in one of their fields. */
export const hasOtherValues = ({ fields, before }: StoredEdits, now: FieldValues): boolean =>
  Object.keys(fields).some((name) => !sameValues(before[name], now[name]));

const SECRET_NAME = /(?:^|[._-])(?:password|passwd|secret|client_secret|token|api_?key|private_key|authorization)$/i;

/** In texts and JSON: a member with a secret's name and a fixed value, credentials in a URL, and keys and tokens by their form. */
const SECRET_TEXTS = [
  /"[^"]*(?:password|passwd|secret|token|api[_-]?key|private_?key|authorization)"\s*:\s*"(?!\*+"|\{\{|")/i,
  /\/\/[^\s/:@"]+:[^\s/@"]+@/,
  /\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}/i,
  /\b(?:sk|pk|rk|tk|whsec|ghp|xox[abp])[-_][\w-]{12,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
];

/** Whether a value may be a secret, by the name of its field or its form. Placeholders and masked values are not. */
export function mayBeSecret(name: string, value: string): boolean {
  if (value === '' || /^(?:\*+|\{\{[^}]*\}\})$/.test(value)) return false;
  return SECRET_NAME.test(name) || SECRET_TEXTS.some((form) => form.test(value));
}

export const MAX_KEPT = 20;
export const MAX_AGE_MS = 14 * 86_400_000;

/** The keys of stored edits that are removed: the old ones, and the oldest above the limit. */
export function surplusKeys(stored: readonly { key: string; at: number }[], now: number): string[] {
  const newest = stored.toSorted((one, other) => other.at - one.at);
  return newest.filter(({ at }, index) => index >= MAX_KEPT || now - at > MAX_AGE_MS).map(({ key }) => key);
}
