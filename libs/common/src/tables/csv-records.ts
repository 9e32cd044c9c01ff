import { cellText, charsetOfTableFile, delimiterOf, inPieces } from '../text-files/index.js';
import { CsvError, parse } from 'csv-parse';
import iconv from 'iconv-lite';
import { finished, PassThrough, type Readable } from 'node:stream';

/** A record, which quotes can extend over several lines. */
const MAX_RECORD_CHARACTERS = 65_536;
/** The delimiter is detected in this much text. */
const SAMPLE_BYTES = 65_536;

export interface CsvFormat {
  /** IANA name in lower case. */
  encoding: string;
  delimiter: string;
}

/** A record and the line at which it begins, from 1. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** The file is not a readable table. `message` is a sentence with the line. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable';
}

/** Detects encoding and delimiter; reads the file once or twice. `encoding`: named by the user. */
export async function csvFormatOf(open: () => Promise<Readable>, encoding?: string): Promise<CsvFormat> {
  const charset = encoding ?? (await charsetOfTableFile(await open()));
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of await open()) {
    head.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= SAMPLE_BYTES) break;
  }
  const text = iconv.decode(Buffer.concat(head).subarray(0, SAMPLE_BYTES), charset);
  return { encoding: charset, delimiter: delimiterOf(text) };
}

/**
 * The records of a file, in constant memory. Empty lines and the line `sep=;` of spreadsheets are skipped. `onBytes` gets the number of
 * bytes read so far. Throws UnreadableTable.
 */
export async function* csvRecords(
  source: Readable,
  { encoding, delimiter }: CsvFormat,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<CsvRecord> {
  let parsedLines = 0;
  const parser = parse({
    delimiter,
    // Files that were edited by several programs mix line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    info: true,
    on_record: (record: string[], { lines }) => {
      parsedLines = lines;
      return record;
    },
  });
  connect(source, counting(onBytes), inPieces(), iconv.decodeStream(encoding) as unknown as PassThrough, parser);
  let isFirst = true;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const cells = record.map(cellText);
      if (!isFirst || !/^sep=.?$/i.test(cells.join(delimiter))) yield { line: info.lines - lineEndsIn(record), cells };
      isFirst = false;
    }
  } catch (error) {
    throw error instanceof CsvError ? problemOf(error, parsedLines + 1) : error;
  } finally {
    source.destroy();
  }
}

/** Pipes and passes errors on. `pipeline` would report the early end of the last stream, by a reader that stops, as an error. */
function connect(...streams: (Readable | PassThrough)[]): void {
  streams.reduce((from, to) => {
    finished(from, { writable: false }, (error) => {
      if (error) to.destroy(error);
    });
    return from.pipe(to as PassThrough);
  });
}

function counting(onBytes: (bytes: number) => void): PassThrough {
  let bytes = 0;
  const through = new PassThrough();
  through.on('data', (chunk: Buffer) => onBytes((bytes += chunk.length)));
  return through;
}

const lineEndsIn = (record: readonly string[]): number =>
  record.reduce((count, cell) => count + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);

function problemOf({ code }: CsvError, line: number): UnreadableTable {
  if (code === 'CSV_MAX_RECORD_SIZE')
    return new UnreadableTable(
      `The record that begins at line ${line} is longer than 65,536 characters, or a quote in it is not closed.`,
    );
  return new UnreadableTable(`A quote in the record that begins at line ${line} is not closed.`);
}
