import { readWrittenNumber } from '@app/accounts';
import { NUMBER_NAMES, type TableColumn, type TableFields } from '@app/common/tables';
import { DateTime } from '@app/common/time-windows';

const toNumber = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, 'to_number']));

/** The fields of contacts that columns of a file can have. */
export const CONTACT_FIELDS: TableFields = {
  fields: ['to_number', 'time_zone', 'not_before'],
  groups: ['metadata', 'variables'],
  aliases: [
    {
      ...toNumber(['tonumber', 'phonenumber', 'phone', 'number', 'telephone', 'mobile']),
      timezone: 'time_zone',
      notbefore: 'not_before',
    },
    {
      ...toNumber(NUMBER_NAMES),
      zeitzone: 'time_zone',
      zonahoraria: 'time_zone',
      fuseauhoraire: 'time_zone',
    },
  ],
  required: 'to_number',
};

/** A contact as a request has it. */
interface ImportedContact {
  to_number: string;
  time_zone?: string;
  not_before?: string;
  metadata?: Record<string, string>;
  variables?: Record<string, string>;
}

interface RowDefaults {
  /** Of times without an offset, if the row has none. */
  zone: string;
  /** Of numbers without a country code; null: they are refused. */
  country: string | null;
}

/** The contact of a row; empty cells are absent. */
export function importedContact(
  columns: readonly TableColumn[],
  cells: readonly string[],
  { zone, country }: RowDefaults,
): ImportedContact {
  const contact: ImportedContact = { to_number: '' };
  for (const [index, { field }] of columns.entries()) {
    const cell = withoutMark(cells[index] ?? '');
    if (field === null || cell === '') continue;
    if (field === 'to_number') contact.to_number = destinationText(cell, country);
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

/** E.164 if the cell has a number; SIP URIs and all other texts stay as they are. */
function destinationText(cell: string, country: string | null): string {
  const read = readWrittenNumber(cell, country);
  return 'number' in read ? read.number : cell;
}

/** Why a text is not a number, for people who prepare a table; undefined: it was not meant as one. */
export function numberHint(text: string, country: string | null): string | undefined {
  const read = readWrittenNumber(text, country);
  return 'problem' in read && read.isNumber ? `The number ${read.problem}.` : undefined;
}

/** ISO 8601 with its offset; undefined: not a time. A time without an offset is local time in `zone`. */
function instantOf(text: string, zone: string): string | undefined {
  const time = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  return time.isValid ? time.toUTC().toISO() : undefined;
}
