import { type Acting, AuditService } from '@app/audit';
import { InvalidFields } from '@app/common';
import { Database } from '@app/database';
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
}

/** Adds the entries of a CSV file of any length. Batches are committed one after the other: an import that fails can be repeated. */
@Injectable()
export class DoNotCallImportService {
  constructor(
    private readonly database: Database,
    private readonly list: DoNotCallRepository,
    private readonly checks: DialChecksRepository,
    private readonly queue: QueuedRefusalService,
    private readonly audit: AuditService,
  ) {}

  /** Throws InvalidFields when the file has too many rows; those before the limit are imported. */
  async import(who: Acting, { source, content }: ImportRequest): Promise<ImportReport> {
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
    for await (const row of rowsOf(content, refuse)) {
      report.rows += 1;
      if (report.rows > MAX_ROWS) break;
      const entry = readImportRow(row.values, now);
      if ('problem' in entry) refuse({ line: row.line, problem: entry.problem });
      else {
        const key = `${entry.number}${entry.isPrefix ? '*' : ''}`;
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
      throw new InvalidFields({ file: [`The file must not have more than ${MAX_ROWS} rows; those were imported.`] });
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

/** Other names of the number's column in exports of carriers and CRMs. */
const NUMBER_NAMES = ['number', 'phone', 'phone_number', 'phonenumber', 'to_number', 'e164', 'telephone', 'mobile'];

/** The rows by column. A first row with a known name is the header. `refuse` gets rows that are not valid CSV. */
async function* rowsOf(content: Readable, refuse: (row: RefusedRow) => void): AsyncGenerator<ImportRow> {
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
  const columns = names.map((name) => (NUMBER_NAMES.includes(name) ? 'number' : name));
  return columns.includes('number') ? columns : undefined;
}
