/** A column of a file. */
export interface TableColumn {
  name: string;
  /** Field of the record, such as `to_number` or `variables.first_name`; null: the column is ignored. */
  field: string | null;
}

/** The fields that columns can have. */
export interface TableFields {
  fields: readonly string[];
  /** Fields with names of their own: `variables` for `variables.<name>`. */
  groups: readonly string[];
  /** Other usual names of columns, in lower case without punctuation. The later lists count where no column has a name of the earlier ones. */
  aliases: readonly Readonly<Record<string, string>>[];
  /** The field that a column must have. */
  required: string;
}

/** Usual names of a column with phone numbers, in lower case without punctuation. */
export const NUMBER_NAMES: readonly string[] = [
  ...[
    'cell',
    'cellphone',
    'mobile',
    'mobilenumber',
    'mobilephone',
    'msisdn',
    'number',
    'phone',
    'phoneno',
    'phonenumber',
  ],
  ...['tel', 'telephone', 'telephonenumber', 'telno', 'tonumber'],
  ...[
    'handy',
    'handynummer',
    'mobil',
    'mobilnummer',
    'mobiltelefon',
    'rufnummer',
    'telefon',
    'telefonnr',
    'telefonnummer',
    'telnr',
  ],
  ...['celular', 'movil', 'numero', 'numerodetelefono', 'telefono', 'cellulare', 'numeroditelefono'],
  ...['numerodetelephone', 'portable', 'telefone', 'mobiel', 'telefoon', 'telefoonnummer'],
];

const MAX_COLUMNS = 200;
const MAX_NAME_LENGTH = 100;

type Mapping = Readonly<Record<string, unknown>>;

/** Which field each column of a header is. `mapping`: column -> field, or null for a column to ignore; other columns go by their name. */
export function columnsOf(
  of: TableFields,
  header: readonly string[],
  mapping: Mapping,
): { columns: TableColumn[]; errors: Record<string, string[]> } {
  if (header.length > MAX_COLUMNS)
    return { columns: [], errors: { file: [`The file has more than ${MAX_COLUMNS} columns.`] } };
  const errors = mappingErrors(of, header, mapping);
  const isMapped = (name: string): boolean => Object.hasOwn(mapping, name);
  const fields = header.map((name) => (isMapped(name) ? (mapping[name] as string | null) : ownField(of, name)));
  // A usual name counts where no column has the very name.
  for (const aliases of of.aliases) {
    for (const [index, name] of header.entries()) {
      const field = isMapped(name) ? undefined : aliases[lettersOf(name)];
      if (field !== undefined && !fields.includes(field)) fields[index] = field;
    }
  }
  const columns = header.map((name, index) => ({ name: name.slice(0, MAX_NAME_LENGTH), field: fields[index] ?? null }));
  for (const field of new Set(fields)) {
    const names = columns.filter((column) => field !== null && column.field === field).map(({ name }) => name);
    if (names.length > 1)
      errors['columns'] = [`Several columns are ${field}: ${names.join(', ')}. Map only one of them.`];
  }
  if (Object.keys(errors).length === 0 && !fields.includes(of.required))
    errors['file'] = [
      `The file has no column ${of.required}. Its columns are: ${shown(columns)}. Map the column of the numbers with columns.`,
    ];
  return { columns, errors };
}

/** The share of cells with numbers that makes a column one of numbers. */
const NUMBERS_SHARE = 0.6;

interface Guess {
  mapping: Mapping;
  /** Names of variables that the records need. */
  variables: readonly string[];
  isNumber: (cell: string) => boolean;
}

/**
 * `mapping`, and fields for the columns without a known name: variables by their names, and without a column of numbers the one whose
 * cells are numbers. `rows`: the first ones of the file.
 */
export function guessedMapping(
  of: TableFields,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { mapping, variables, isNumber }: Guess,
): Record<string, unknown> {
  const { columns } = columnsOf(of, header, mapping);
  const guessed: Record<string, unknown> = { ...mapping };
  const isTaken = (field: string): boolean =>
    columns.some((column) => column.field === field) || Object.values(guessed).includes(field);
  const open = header.filter(
    (name, index) => columns[index]?.field === null && !Object.hasOwn(guessed, name) && header.indexOf(name) === index,
  );
  for (const name of open) {
    const variable = variables.find((one) => lettersOf(one) !== '' && lettersOf(one) === lettersOf(name));
    if (variable !== undefined && !isTaken(`variables.${variable}`)) guessed[name] = `variables.${variable}`;
  }
  if (isTaken(of.required)) return guessed;
  const shareOf = (name: string): number => {
    const cells = rows.map((row) => row[header.indexOf(name)] ?? '').filter((cell) => cell !== '');
    return cells.filter(isNumber).length / Math.max(1, cells.length);
  };
  const [best] = open
    .filter((name) => !Object.hasOwn(guessed, name))
    .map((name) => ({ name, share: shareOf(name) }))
    .toSorted((one, other) => other.share - one.share);
  if (best && best.share >= NUMBERS_SHARE) guessed[best.name] = of.required;
  return guessed;
}

/** `Téléphone (1)` as `telephone`. */
const lettersOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

const shown = (columns: readonly TableColumn[]): string =>
  columns
    .slice(0, 20)
    .map(({ name }) => name)
    .join(', ');

/** The field that a column is named after. */
function ownField({ fields, groups }: TableFields, name: string): string | null {
  const field = name.toLowerCase();
  if (fields.includes(field)) return field;
  const [, group = '', key] = /^(\w+)\.(.{1,64})$/.exec(name) ?? [];
  return key !== undefined && groups.includes(group.toLowerCase()) ? `${group.toLowerCase()}.${key}` : null;
}

function mappingErrors(
  { fields, groups }: TableFields,
  header: readonly string[],
  mapping: Mapping,
): Record<string, string[]> {
  const isField = (field: unknown): boolean => {
    if (field === null) return true;
    if (typeof field !== 'string') return false;
    const [, group = ''] = /^(\w+)\..{1,64}$/.exec(field) ?? [];
    return fields.includes(field) || groups.includes(group);
  };
  const known = [...fields, ...groups.map((group) => `${group}.<name>`)].join(', ');
  const errors = Object.entries(mapping).flatMap(([name, field]): [string, string[]][] => {
    const key = `columns.${name.slice(0, MAX_NAME_LENGTH)}`;
    if (!header.includes(name)) return [[key, ['The file has no such column.']]];
    return isField(field) ? [] : [[key, [`A column must be ${known} or null.`]]];
  });
  return Object.fromEntries(errors);
}
