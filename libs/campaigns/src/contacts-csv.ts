import { csvLine } from '@app/common/text-files';
import type { ContactView } from './presenters/contact.presenter.js';

/** Fields with a column, in this order. */
const COLUMNS = [
  'to_number',
  'status',
  'reason',
  'explanation',
  'attempts',
  'outcome',
  'hangup_cause',
  'call_id',
  'last_attempt_at',
  'next_attempt_at',
  'time_zone',
  'not_before',
  'created_at',
] as const satisfies readonly (keyof ContactView)[];

/** Names of `metadata` and of `variables` with a column; values of others are in one column as JSON. */
const MAX_NAMES = 100;

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Contacts as CSV, one text per batch. Columns of `metadata` and `variables` are those of the first batch; other values are in the columns
 * `metadata` and `variables` as JSON.
 */
export async function* contactsCsv(batches: AsyncIterable<ContactView[]>): AsyncGenerator<string> {
  let names: Names | undefined;
  for await (const contacts of batches) {
    const header = names === undefined;
    names ??= { metadata: namesIn(contacts, 'metadata'), variables: namesIn(contacts, 'variables') };
    yield `${header ? BYTE_ORDER_MARK + headerOf(names) : ''}${contacts.map((one) => lineOf(one, names!)).join('')}`;
  }
  if (!names) yield BYTE_ORDER_MARK + headerOf({ metadata: [], variables: [] });
}

/** Refused rows as CSV. */
export async function* refusalsCsv(
  batches: AsyncIterable<{ line: number; field: string; reason: string }[]>,
): AsyncGenerator<string> {
  yield csvLine(['line', 'field', 'reason']);
  for await (const refusals of batches)
    yield refusals.map(({ line, field, reason }) => csvLine([line, field, reason])).join('');
}

type Kind = 'metadata' | 'variables';
type Names = Readonly<Record<Kind, string[]>>;
const KINDS: readonly Kind[] = ['metadata', 'variables'];

const namesIn = (contacts: readonly ContactView[], kind: Kind): string[] =>
  [...new Set(contacts.flatMap((contact) => Object.keys(contact[kind] ?? {})))].slice(0, MAX_NAMES);

const headerOf = (names: Names): string =>
  csvLine([...COLUMNS, ...KINDS.flatMap((kind) => [...names[kind].map((name) => `${kind}.${name}`), kind])]);

function lineOf(contact: ContactView, names: Names): string {
  const cells = KINDS.flatMap((kind) => {
    const values: Readonly<Record<string, unknown>> = contact[kind] ?? {};
    const others = Object.entries(values).filter(([name]) => !names[kind].includes(name));
    const rest = others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others));
    return [...names[kind].map((name) => (Object.hasOwn(values, name) ? textOf(values[name]) : '')), rest];
  });
  return csvLine([...COLUMNS.map((column) => textOf(contact[column])), ...cells]);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
