import { type CsvRecord, UnreadableTable } from './csv-records.js';
import { columnsOf, guessedMapping, type TableColumn, type TableFields } from './table-columns.js';
import { type OpenTable, rowsOf } from './table-file.js';

/** Rows that a preview shows with their cells. */
const SHOWN_ROWS = 10;
/** Values that a column shows. */
const SHOWN_VALUES = 3;
const SHOWN_CHARACTERS = 200;
/** Rows that are checked between other requests. */
const BATCH = 200;
/** Rows are counted this long. */
const MAX_COUNTING_MS = 5_000;
/** Different reasons that are told apart. */
const MAX_REASONS = 20;
/** Lines that a reason names. */
const SHOWN_LINES = 5;

/** What an import would do with a row: the name of its count and the number, or why it is refused. */
export type RowOutcome = { count: string; number: string } | { field: string; message: string };

/** What a table would become. */
export interface TablePreview<Count extends string = string> {
  encoding: string;
  delimiter: string;
  default_country: string | null;
  columns: (TableColumn & {
    /** The first values. */
    samples: string[];
  })[];
  /** The first ones. */
  rows: {
    line: number;
    cells: string[];
    /** As it would be stored; null: not at all. */
    number: string | null;
    problem: string | null;
  }[];
  counts: Record<Count | 'rows' | 'refused', number>;
  /** All rows of the file were counted. */
  is_complete: boolean;
  /** Why rows would be refused, the most frequent reason first. `lines`: the first ones. */
  refusals: { field: string; message: string; rows: number; lines: number[] }[];
  /** Why the import would be refused as a whole. */
  errors: Record<string, string[]>;
}

interface PreviewOf<Count extends string> {
  fields: TableFields;
  mapping: Readonly<Record<string, unknown>>;
  country: string | null;
  variables: readonly string[];
  isNumber: (cell: string) => boolean;
  counts: readonly Count[];
  /** The outcome of each row, in their order. */
  check: (columns: readonly TableColumn[], rows: readonly CsvRecord[]) => Promise<RowOutcome[]>;
}

/** Reads a table for an import, without storing anything. It takes five seconds and the memory of the numbers at most. */
export async function previewTable<Count extends string>(
  table: OpenTable,
  { fields, country, counts, check, ...guess }: PreviewOf<Count>,
): Promise<TablePreview<Count>> {
  const { format, header, sample } = table;
  const cells = sample.map((record) => record.cells);
  const { columns, errors } = columnsOf(fields, header, guessedMapping(fields, header, cells, guess));
  const preview: TablePreview<Count> = {
    ...format,
    default_country: country,
    columns: columns.map((column, index) => ({ ...column, samples: samplesOf(cells, index) })),
    rows: sample.slice(0, SHOWN_ROWS).map((record) => ({ ...shownRow(record), number: null, problem: null })),
    counts: Object.fromEntries(
      ['rows', ...counts, 'refused'].map((name) => [name, 0]),
    ) as TablePreview<Count>['counts'],
    is_complete: true,
    refusals: [],
    errors,
  };
  if (Object.keys(errors).length > 0) return preview;
  const refusals = new Refusals();
  const count = async (rows: readonly CsvRecord[]): Promise<void> => {
    const outcomes = await check(columns, rows);
    for (const [index, outcome] of outcomes.entries()) {
      const { line } = rows[index]!;
      const name = 'count' in outcome ? (outcome.count as Count) : 'refused';
      preview.counts.rows += 1;
      preview.counts[name] += 1;
      const shown = preview.counts.rows <= SHOWN_ROWS ? preview.rows.find((row) => row.line === line) : undefined;
      if ('count' in outcome) {
        if (shown) shown.number = outcome.number;
      } else {
        refusals.add(outcome, line);
        if (shown) shown.problem = outcome.message;
      }
    }
  };
  preview.is_complete = await inBatches(table, count, preview.errors);
  preview.refusals = refusals.byFrequency();
  return preview;
}

/** @returns whether the file was read to its end */
async function inBatches(
  table: OpenTable,
  work: (rows: readonly CsvRecord[]) => Promise<void>,
  errors: Record<string, string[]>,
): Promise<boolean> {
  const began = performance.now();
  let [rows, isComplete]: [CsvRecord[], boolean] = [[], true];
  try {
    for await (const record of rowsOf(table)) {
      rows.push(record);
      if (rows.length < BATCH) continue;
      await work(rows);
      rows = [];
      isComplete = performance.now() - began <= MAX_COUNTING_MS;
      if (!isComplete) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    errors['file'] = [error.message];
    isComplete = false;
  }
  await work(rows);
  return isComplete;
}

/** Counts refused rows by their reason; beyond a limit of reasons with the last one. */
class Refusals {
  private readonly reasons = new Map<string, TablePreview['refusals'][number]>();
  private last: TablePreview['refusals'][number] | undefined;

  add({ field, message }: { field: string; message: string }, line: number): void {
    const key = `${field} ${message}`;
    const known = this.reasons.get(key) ?? (this.reasons.size >= MAX_REASONS ? this.last : undefined);
    const reason = known ?? { field, message, rows: 0, lines: [] };
    if (!known) this.reasons.set(key, (this.last = reason));
    reason.rows += 1;
    if (reason.lines.length < SHOWN_LINES) reason.lines.push(line);
  }

  byFrequency(): TablePreview['refusals'] {
    return [...this.reasons.values()].sort((one, other) => other.rows - one.rows);
  }
}

const samplesOf = (rows: readonly (readonly string[])[], index: number): string[] =>
  [...new Set(rows.map((cells) => (cells[index] ?? '').slice(0, SHOWN_CHARACTERS)))]
    .filter(Boolean)
    .slice(0, SHOWN_VALUES);

const shownRow = ({ line, cells }: CsvRecord): { line: number; cells: string[] } => ({
  line,
  cells: cells.map((cell) => cell.slice(0, SHOWN_CHARACTERS)),
});
