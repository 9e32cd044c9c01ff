import type { FieldErrors } from '@app/common';
import { DateTime } from '@app/common/time-windows';
import type { ImportColumn } from './campaign-import.entity.js';

/** The fields of contacts that columns can have, apart from `metadata.<name>` and `variables.<name>`. */
const FIELDS = ['to_number', 'time_zone', 'not_before'] as const;

/** Other usual names of those columns, without punctuation. */
const ALIASES: Readonly<Record<string, (typeof FIELDS)[number]>> = {
  tonumber: 'to_number',
  phonenumber: 'to_number',
  phone: 'to_number',
  number: 'to_number',
  telephone: 'to_number',
  mobile: 'to_number',
  timezone: 'time_zone',
  notbefore: 'not_before',
};

const MAX_COLUMNS = 200;
const MAX_NAME_LENGTH = 100;
const NAMED = /^(metadata|variables)\.(.{1,64})$/;

/** Which field each column of a header is. `mapping`: column -> field, or null for a column to ignore; other columns go by their name. */
export function columnsOf(
  header: readonly string[],
  mapping: Readonly<Record<string, unknown>>,
): { columns: ImportColumn[]; errors: FieldErrors } {
  if (header.length > MAX_COLUMNS)
    return { columns: [], errors: { file: [`The file has more than ${MAX_COLUMNS} columns.`] } };
  const errors = mappingErrors(header, mapping);
  const isMapped = (name: string): boolean => Object.hasOwn(mapping, name);
  const fields = header.map((name) => (isMapped(name) ? (mapping[name] as string | null) : ownField(name)));
  // A usual name counts where no column has the very name.
  for (const [index, name] of header.entries()) {
    const field = isMapped(name) ? undefined : ALIASES[name.toLowerCase().replaceAll(/[^a-z]/g, '')];
    if (field !== undefined && !fields.includes(field)) fields[index] = field;
  }
  const columns = header.map((name, index) => ({ name: name.slice(0, MAX_NAME_LENGTH), field: fields[index] ?? null }));
  for (const field of new Set(fields)) {
    const names = columns.filter((column) => field !== null && column.field === field).map(({ name }) => name);
    if (names.length > 1)
      errors['columns'] = [`Several columns are ${field}: ${names.join(', ')}. Map only one of them.`];
  }
  if (Object.keys(errors).length === 0 && !fields.includes('to_number'))
    errors['file'] = [
      `The file has no column to_number. Its columns are: ${shown(columns)}. Map the column of the numbers with columns.`,
    ];
  return { columns, errors };
}

const shown = (columns: readonly ImportColumn[]): string =>
  columns
    .slice(0, 20)
    .map(({ name }) => name)
    .join(', ');

/** The field that a column is named after. */
function ownField(name: string): string | null {
  const field = name.toLowerCase();
  if ((FIELDS as readonly string[]).includes(field)) return field;
  const [, kind, key] = /^(metadata|variables)\.(.{1,64})$/i.exec(name) ?? [];
  return kind && key ? `${kind.toLowerCase()}.${key}` : null;
}

function mappingErrors(header: readonly string[], mapping: Readonly<Record<string, unknown>>): FieldErrors {
  const errors = Object.entries(mapping).flatMap(([name, field]): [string, string[]][] => {
    const key = `columns.${name.slice(0, MAX_NAME_LENGTH)}`;
    if (!header.includes(name)) return [[key, ['The file has no such column.']]];
    const isField =
      field === null ||
      (typeof field === 'string' && (NAMED.test(field) || (FIELDS as readonly string[]).includes(field)));
    return isField
      ? []
      : [[key, ['A column must be to_number, time_zone, not_before, metadata.<name>, variables.<name> or null.']]];
  });
  return Object.fromEntries(errors);
}

/** A contact as a request has it. */
interface ImportedContact {
  to_number: string;
  time_zone?: string;
  not_before?: string;
  metadata?: Record<string, string>;
  variables?: Record<string, string>;
}

/** The contact of a row; empty cells are absent. `zone`: of times without an offset, if the row has none. */
export function importedContact(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  zone: string,
): ImportedContact {
  const contact: ImportedContact = { to_number: '' };
  for (const [index, { field }] of columns.entries()) {
    const cell = withoutMark(cells[index] ?? '');
    if (field === null || cell === '') continue;
    if (field === 'to_number') contact.to_number = typedNumber(cell);
    else if (field === 'time_zone' || field === 'not_before') contact[field] = cell;
    else {
      const [kind = '', ...name] = field.split('.');
      const values = (contact[kind as 'metadata' | 'variables'] ??= {});
      Object.defineProperty(values, name.join('.'), {
        value: cell,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  if (contact.not_before !== undefined)
    contact.not_before = instantOf(contact.not_before, contact.time_zone ?? zone) ?? contact.not_before;
  return contact;
}

/** Exports put an apostrophe before texts that a spreadsheet would take for a formula. */
const withoutMark = (cell: string): string => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell);

/** Marks of text direction that address books copy with a number, and other invisible characters. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A number as people write it: with the international prefix 00, `(0)` for calls within the country, dots, slashes and odd spaces. */
function typedNumber(cell: string): string {
  const text = cell.replaceAll(INVISIBLE, '').replaceAll(/\s+/g, ' ').trim();
  if (!/^(?:\+|00)[\d\s().\u2010-\u2015/-]+$/.test(text)) return text;
  return text
    .replace(/^00/, '+')
    .replace('(0)', '')
    .replaceAll(/[./\u2010-\u2015]/g, '-');
}

/** Why a text is not a number, for people who prepare a table; undefined: another reason. */
export function numberHint(text: string): string | undefined {
  if (text === '') return 'The number is missing.';
  if (/^\d[.,]?\d*e\+?\d+$/i.test(text))
    return 'A spreadsheet has rounded this number. Format the column as text and enter the number again.';
  if (/^[\d\s().-]+$/.test(text)) return 'The number must begin with + and its country code.';
  return undefined;
}

/** ISO 8601 with its offset; undefined: not a time. A time without an offset is local time in `zone`. */
function instantOf(text: string, zone: string): string | undefined {
  const time = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  return time.isValid ? time.toUTC().toISO() : undefined;
}
