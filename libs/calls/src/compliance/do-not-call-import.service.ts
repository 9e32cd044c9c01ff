import { AccountLimitsService, readWrittenNumber } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { InvalidFields, withCode } from '@app/common';
import { Database } from '@app/database';
import {
  columnsOf,
  NUMBER_NAMES,
  previewTable,
  type RowOutcome,
  rowsOf,
  type TableColumn,
  type TableFields,
  type TablePreview,
  type TableRequest,
  withTable,
} from '@app/common/tables';
import { cellText, inPieces } from '@app/common/text-files';
import { Injectable } from '@nestjs/common';
import { type CsvError, parse } from 'csv-parse';
import type { Readable } from 'node:stream';
import { type DoNotCallEntry, IMPORT_COLUMNS, mergeEntry, readImportRow } from './domain/do-not-call.js';
import { DialChecksRepository } from './dial-checks.repository.js';
import { DoNotCallRepository } from './do-not-call.repository.js';
import { QueuedRefusalService } from './queued-refusal.service.js';

const MAX_ROWS = 1_000_000;
/** Rows of one transaction, for which dialers wait. */
const BATCH = 1_000;
/** Refused rows that the report names. */
const REPORTED = 1_000;
/** Of one row, in characters. */
const MAX_ROW_LENGTH = 20_000;

interface RefusedRow {
  /** Of the file, from 1. */
  line: number;
  /** As a predicate of a column. */
  problem: string;
}

/** The result of an import. */
export interface ImportReport {
  /** Rows of the file, without the header. */
  rows: number;
  added: number;
  /** The list had their number already. */
  unchanged: number;
  refused: number;
  /** The first ones. */
  refused_rows: RefusedRow[];
  /** Queued calls that ended. */
  ended_calls: number;
}

interface ImportRequest {
  source: 'import' | 'file';
  content: Readable;
  /** Of numbers without a country code; undefined: that of the account. */
  defaultCountry?: string;
}

const COUNTS = ['added', 'unchanged'] as const;

/** What an import of a file would do. */
export type EntriesPreview = TablePreview<(typeof COUNTS)[number]>;

const NUMBER_ALIASES = Object.fromEntries(NUMBER_NAMES.map((name) => [name, 'number']));

/** The fields of entries that columns of a file can have. */
const ENTRY_FIELDS: TableFields = {
  fields: IMPORT_COLUMNS,
  groups: [],
  aliases: [{ ...NUMBER_ALIASES, expiresat: 'expires_at' }],
  required: 'number',
};

/** Adds the entries of a CSV file of any length. Batches are committed one after the other: an import that fails can be repeated. */
@Injectable()
export class DoNotCallImportService {
  constructor(
    private readonly database: Database,
    private readonly list: DoNotCallRepository,
    private readonly checks: DialChecksRepository,
    private readonly queue: QueuedRefusalService,
    private readonly limits: AccountLimitsService,
    private readonly audit: AuditService,
  ) {}

  /** Throws InvalidFields when the file has too many rows; those before the limit are imported. */
  async import(who: Acting, { source, content, defaultCountry }: ImportRequest): Promise<ImportReport> {
    const country = await this.countryOf(who.accountId, defaultCountry);
    return this.importRows(who, { source, country }, (refuse) => streamedRows(content, refuse));
  }

  /** The same for a file, CSV in any encoding or an Excel workbook. Throws InvalidFields also when it cannot be read. */
  async importFile(who: Acting, path: string, request: TableRequest): Promise<ImportReport> {
    const country = await this.countryOf(who.accountId, request.defaultCountry);
    return withTable({ accountId: who.accountId, path }, request.encoding, async (table) => {
      const { columns, errors } = columnsOf(ENTRY_FIELDS, table.header, request.columns);
      if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
      return this.importRows(who, { source: 'import', country }, () => tableRows(columns, rowsOf(table)));
    });
  }

  /** What `importFile` would do; nothing is added. Throws InvalidFields for a file that cannot be read. */
  async preview(accountId: number, path: string, request: TableRequest): Promise<EntriesPreview> {
    const country = await this.countryOf(accountId, request.defaultCountry);
    const known = new Set<string>();
    const now = new Date();
    return withTable({ accountId, path }, request.encoding, (table) =>
      previewTable(table, {
        fields: ENTRY_FIELDS,
        mapping: request.columns,
        country,
        variables: [],
        isNumber: (cell) => 'number' in readWrittenNumber(cell, country),
        counts: COUNTS,
        check: async (columns, rows) => {
          const entries = rows.map(({ cells }) => readImportRow(valuesOf(columns, cells), { now, country }));
          const numbers = entries.flatMap((entry) => ('problem' in entry ? [] : [entry.number]));
          for (const listed of await this.list.numbersAmong(accountId, numbers)) known.add(keyOf(listed));
          return entries.map((entry): RowOutcome => {
            if ('problem' in entry)
              return { field: entry.problem.split(' ', 1)[0] ?? '', message: `The ${entry.problem}.` };
            const count = known.has(keyOf(entry)) ? 'unchanged' : 'added';
            known.add(keyOf(entry));
            return { count, number: keyOf(entry) };
          });
        },
      }),
    );
  }

  private async countryOf(accountId: number, given: string | undefined): Promise<string | null> {
    return given ?? (await this.limits.defaultCountry(accountId));
  }

  private async importRows(
    who: Acting,
    { source, country }: { source: ImportRequest['source']; country: string | null },
    rows: (refuse: (row: RefusedRow) => void) => AsyncIterable<ImportRow>,
  ): Promise<ImportReport> {
    const report = { rows: 0, added: 0, unchanged: 0, refused: 0, refused_rows: [] as RefusedRow[] };
    const refuse = (row: RefusedRow): void => {
      report.refused += 1;
      if (report.refused_rows.length < REPORTED) report.refused_rows.push(row);
    };
    let batch = new Map<string, DoNotCallEntry>();
    const flush = async (): Promise<void> => {
      const added = await this.add(who, source, [...batch.values()]);
      report.added += added;
      report.unchanged += batch.size - added;
      batch = new Map();
    };
    const now = new Date();
    for await (const row of rows(refuse)) {
      report.rows += 1;
      if (report.rows > MAX_ROWS) break;
      const entry = readImportRow(row.values, { now, country });
      if ('problem' in entry) refuse({ line: row.line, problem: entry.problem });
      else {
        const key = keyOf(entry);
        const before = batch.get(key);
        if (before) report.unchanged += 1;
        batch.set(key, before ? mergeEntry(before, entry) : entry);
      }
      if (batch.size >= BATCH) await flush();
    }
    if (batch.size > 0) await flush();
    report.refused_rows.sort((a, b) => a.line - b.line);
    await this.record(who, source, report);
    const ended = await this.queue.endListed(who.accountId);
    if (report.rows > MAX_ROWS)
      throw new InvalidFields({
        file: [withCode('too_many', `The file must not have more than ${MAX_ROWS} rows; those were imported.`)],
      });
    return { ...report, ended_calls: ended };
  }

  /** Returns how many are new. */
  private add({ accountId }: Acting, source: ImportRequest['source'], entries: DoNotCallEntry[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      await this.checks.lockList(accountId, tx);
      const added = await this.list.import(accountId, { entries, source, replaces: false }, tx);
      await this.list.countChange(accountId, tx);
      return added;
    });
  }

  private record(
    { accountId, actor }: Acting,
    source: string,
    { rows, added, refused }: Pick<ImportReport, 'rows' | 'added' | 'refused'>,
  ): Promise<void> {
    const details = { source, rows, added, refused };
    return this.database.transaction((tx) =>
      this.audit.record({ accountId, actor, action: 'do_not_call.imported', details }, tx),
    );
  }
}

interface ImportRow {
  line: number;
  values: Partial<Record<(typeof IMPORT_COLUMNS)[number], string>>;
}

interface ParsedRow {
  record: string[];
  info: { lines: number };
}

const keyOf = ({ number, isPrefix }: Pick<DoNotCallEntry, 'number' | 'isPrefix'>): string =>
  `${number}${isPrefix ? '*' : ''}`;

const valuesOf = (columns: readonly TableColumn[], cells: readonly string[]): ImportRow['values'] =>
  Object.fromEntries(columns.flatMap(({ field }, index) => (field === null ? [] : [[field, cells[index] ?? '']])));

async function* tableRows(
  columns: readonly TableColumn[],
  records: AsyncIterable<{ line: number; cells: string[] }>,
): AsyncGenerator<ImportRow> {
  for await (const { line, cells } of records) yield { line, values: valuesOf(columns, cells) };
}

/** The rows of a stream in UTF-8 by column. A first row with a known name is the header. `refuse` gets rows that are not valid CSV. */
async function* streamedRows(content: Readable, refuse: (row: RefusedRow) => void): AsyncGenerator<ImportRow> {
  const parser = parse({
    bom: true,
    delimiter: [',', ';', '\t'],
    info: true,
    max_record_size: MAX_ROW_LENGTH,
    relax_column_count: true,
    // `="+49…"` has quotes inside.
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    trim: true,
  });
  parser.on('skip', ({ lines }: CsvError & { lines: number }) => refuse({ line: lines, problem: 'is not valid CSV' }));
  content.once('error', (error) => parser.destroy(error));
  content.once('close', () => {
    if (!content.readableEnded) parser.destroy(new Error('The file was cut off.'));
  });
  content.pipe(inPieces()).pipe(parser);
  let columns: readonly string[] | undefined;
  try {
    for await (const { record: cells, info } of parser as AsyncIterable<ParsedRow>) {
      const record = cells.map(cellText);
      if (!columns) {
        columns = headerOf(record);
        if (columns) continue;
        columns = ['number'];
      }
      const named = columns.map((column, index) => [column, record[index]] as const);
      yield { line: info.lines, values: Object.fromEntries(named) };
    }
  } finally {
    content.unpipe();
    parser.destroy();
  }
}

/** Undefined: the row has no known name, so it is data. */
function headerOf(record: readonly string[]): string[] | undefined {
  const names = record.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'));
  const isNumber = (name: string): boolean => name === 'e164' || NUMBER_NAMES.includes(name.replaceAll('_', ''));
  const columns = names.map((name) => (isNumber(name) ? 'number' : name));
  return columns.includes('number') ? columns : undefined;
}
