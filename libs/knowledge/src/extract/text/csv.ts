import { type Delimiter, decodeText, delimiterOf } from '@app/common/text-files';
import { CsvError, parse } from 'csv-parse/sync';
import { readFile } from 'node:fs/promises';
import type { Table, BlockConsumer } from '../../blocks.js';
import { BlockWriter } from '../block-writer.js';
import { DocumentProblem } from '../document-problem.js';
import type { DocumentFacts } from '../document-formats.js';
import { tableStart } from '../table-shape.js';

const MAX_ROWS = 200_000;
const MAX_COLUMNS = 1_000;
const MAX_RECORD_BYTES = 1024 * 1024;
/** Records examined to detect the header and the width of the table. */
const FIRST_RECORDS = 50;

export async function extractCsv(path: string, take: BlockConsumer): Promise<DocumentFacts> {
  const { text, charset } = decodeText(await readFile(path));
  const delimiter = delimiterOf(text);
  rejectExtremeWidth(text, delimiter);
  const rows = new CsvRows(new BlockWriter(take));
  parseRecords(text.replace(/^\ufeff?sep=[,;\t|](?:\r\n?|\n)/i, ''), delimiter, rows);
  rows.end();
  return { charset };
}

/** Rejects extreme widths early: csv-parse would build a record of ten million cells before they can be counted. */
function rejectExtremeWidth(text: string, delimiter: Delimiter): void {
  const [line = ''] = text.slice(0, 64 * 1024).split(/[\r\n]/, 1);
  const columns = line.split(delimiter).length;
  if (columns > 10 * MAX_COLUMNS) throw tooManyColumns('more than 10,000');
}

function tooManyColumns(number: string): DocumentProblem {
  return new DocumentProblem('TOO_MANY_COLUMNS', `The table has ${number} columns; 1,000 are allowed.`);
}

function parseRecords(text: string, delimiter: Delimiter, rows: CsvRows): void {
  let line = 1;
  try {
    parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD_BYTES,
      quote: hasQuotedCells(text, delimiter) ? '"' : false,
      // Records are processed at once and not collected.
      on_record: (record: string[], { lines }) => {
        rows.add(record);
        line = lines + 1;
        return null;
      },
    });
  } catch (error) {
    throw problemOf(error, line);
  }
}

/** Whether the file quotes cells at all; if not, a `"` is plain text (`5"`). */
function hasQuotedCells(text: string, delimiter: Delimiter): boolean {
  return (
    text.startsWith('"') ||
    text.startsWith('\ufeff"') ||
    [delimiter, '\n', '\r'].some((before) => text.includes(`${before}"`))
  );
}

/** `line`: the first line of the failed record. */
function problemOf(error: unknown, line: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new DocumentProblem('RECORD_TOO_LARGE', `The record that begins at line ${line} is larger than 1 MB.`);
  }
  const sentence = `A quote in the record that begins at line ${line} is not closed, or opens inside a cell.`;
  return new DocumentProblem('FILE_CORRUPT', sentence, { cause: error });
}

/** Turns records into rows; buffers the first records until the header is known. */
class CsvRows {
  private waiting: string[][] | undefined = [];
  private table: Table = { header: [], style: 'record' };
  private rows = 0;

  constructor(private readonly writer: BlockWriter) {}

  add(record: string[]): void {
    if (record.length > MAX_COLUMNS) throw tooManyColumns(record.length.toLocaleString('en'));
    if (!this.waiting) return this.write(record);
    this.waiting.push(record);
    if (this.waiting.length >= FIRST_RECORDS) this.begin();
  }

  end(): void {
    this.begin();
    if (this.writer.characters === 0) throw new DocumentProblem('EMPTY', 'The table is empty.');
  }

  private begin(): void {
    if (!this.waiting) return;
    const { header, above, rows } = tableStart(this.waiting);
    this.waiting = undefined;
    this.table = { header, style: header.length > 0 ? 'record' : 'grid' };
    for (const record of above) this.writer.paragraph(record.join(' '));
    for (const record of rows) this.write(record);
  }

  private write(record: string[]): void {
    if (++this.rows > MAX_ROWS) {
      throw new DocumentProblem('TOO_MANY_ROWS', `The table has more than ${MAX_ROWS.toLocaleString('en')} rows.`);
    }
    const { header } = this.table;
    while (header.length < record.length) header.push('');
    this.writer.row(this.table, record, this.rows);
  }
}
