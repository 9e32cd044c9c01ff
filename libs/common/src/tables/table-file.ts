import iconv from 'iconv-lite';
import { createReadStream } from 'node:fs';
import { InvalidFields } from '../values/errors.js';
import { type CsvFormat, csvFormatOf, type CsvRecord, csvRecords, UnreadableTable } from './csv-records.js';
import { type UploadedTable, withCsvFile } from './workbook.js';

/** How a file is read. */
export interface TableRequest {
  /** Column -> field or null. */
  columns: Readonly<Record<string, unknown>>;
  /** undefined: detected. */
  encoding?: string;
  /** Of numbers without a country code; undefined: that of the account. */
  defaultCountry?: string;
}

/** A file with its first records. */
export interface OpenTable {
  /** Of the CSV file. */
  path: string;
  format: CsvFormat;
  header: string[];
  /** The first rows. */
  sample: CsvRecord[];
}

const SAMPLE_ROWS = 50;

/** Runs `work` with a CSV file or an Excel workbook. Throws InvalidFields when it cannot be read, also for an UnreadableTable of `work`. */
export async function withTable<T>(
  file: UploadedTable,
  encoding: string | undefined,
  work: (table: OpenTable) => Promise<T>,
): Promise<T> {
  if (encoding !== undefined && !isTextEncoding(encoding))
    throw new InvalidFields({ encoding: ['The encoding field must be the name of an encoding such as windows-1252.'] });
  try {
    return await withCsvFile(file, async (csvPath) => {
      const format = await csvFormatOf(() => Promise.resolve(createReadStream(csvPath)), encoding?.toLowerCase());
      return work({ path: csvPath, format, ...(await beginningOf(csvPath, format)) });
    });
  } catch (error) {
    if (error instanceof UnreadableTable) throw new InvalidFields({ file: [error.message] });
    throw error;
  }
}

/** The rows of a table behind its header. Throws UnreadableTable. */
export async function* rowsOf({ path, format }: Pick<OpenTable, 'path' | 'format'>): AsyncGenerator<CsvRecord> {
  let isHeader = true;
  for await (const record of csvRecords(createReadStream(path), format)) {
    if (!isHeader) yield record;
    isHeader = false;
  }
}

/** iconv also has encodings of bytes as text. */
const isTextEncoding = (name: string): boolean =>
  iconv.encodingExists(name) && !/^(?:binary|base64|hex|base64url)$/i.test(name);

/** An error behind the header is left to who reads on. */
async function beginningOf(path: string, format: CsvFormat): Promise<{ header: string[]; sample: CsvRecord[] }> {
  const read: CsvRecord[] = [];
  try {
    for await (const record of csvRecords(createReadStream(path), format)) {
      read.push(record);
      if (read.length > SAMPLE_ROWS) break;
    }
  } catch (error) {
    if (read.length === 0 || !(error instanceof UnreadableTable)) throw error;
  }
  const [header, ...sample] = read;
  if (!header) throw new InvalidFields({ file: ['The file field must not be an empty file.'] });
  return { header: header.cells, sample };
}
