import { readFile } from 'node:fs/promises';
import WordExtractor from 'word-extractor';
import iconv from 'iconv-lite';
import type { BlockConsumer, Table } from '../blocks.js';
import { BlockWriter, cleanLine } from './block-writer.js';
import { CompoundFile, type StreamEntry } from './compound-file.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts } from './document-formats.js';

export async function extractDoc(path: string, take: BlockConsumer): Promise<DocumentFacts> {
  const bytes = withUnicodeHyphens(await readFile(path));
  const text = await readWord97(bytes);
  const writer = new BlockWriter(take);
  new DocBody(writer, headingsOf(bytes)).write(text);
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return {};
}

/** A document with unreadable style tables has no headings, but its text is still available. */
function headingsOf(bytes: Buffer): WordHeading[] {
  const file = new CompoundFile(bytes);
  const document = file.find('WordDocument');
  if (!document) throw new DocumentProblem('FILE_CORRUPT');
  const stream = file.head(document, document.size);
  const table = tableOf(file, stream);
  try {
    return table ? wordHeadings(stream, file.head(table, table.size)) : [];
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** Writes the lines of word-extractor: a line is a paragraph, a line that ends with a tab is a table row. */
class DocBody {
  private table: Table | undefined;
  private rows = 0;

  constructor(
    private readonly writer: BlockWriter,
    private readonly headings: WordHeading[],
  ) {}

  write({ body, notes, boxes }: Word97Text): void {
    const lines = body.split('\n');
    lines.forEach((line, index) => this.line(line, lines[index + 1]));
    for (const text of [notes, boxes]) for (const line of text.split('\n')) this.writer.paragraph(line);
  }

  private line(line: string, next = ''): void {
    const cells = cellsOf(line);
    if (cells.length > 1) return this.row(cells, cellsOf(next).length > 1);
    this.table = undefined;
    const level = this.levelOf(line);
    if (level === undefined) this.writer.paragraph(line);
    else this.writer.heading(level, line);
  }

  /** The first of several rows is the header; a single row becomes a paragraph. */
  private row(cells: string[], hasMore: boolean): void {
    if (this.table) return this.writer.row(this.table, cells, ++this.rows);
    if (!hasMore) return this.writer.paragraph(cells.filter((cell) => cell.trim() !== '').join(' | '));
    this.table = { header: cells.map(cleanLine), style: 'grid' };
    this.rows = 0;
  }

  /** Headings are matched in the order of the text; up to LOOK_AHEAD headings are skipped if they are not found. */
  private levelOf(line: string): number | undefined {
    const text = cleanLine(line);
    const at =
      text === '' ? -1 : this.headings.findIndex((heading, index) => index < LOOK_AHEAD && heading.text === text);
    if (at < 0) return undefined;
    return this.headings.splice(0, at + 1).at(-1)?.level;
  }
}

const LOOK_AHEAD = 20;

function cellsOf(line: string): string[] {
  return line.endsWith('\t') ? line.slice(0, -1).split('\t') : [];
}

/** The texts of a Word 97-2003 document: one line per paragraph or table row, each cell ends with a tab. */
interface Word97Text {
  body: string;
  /** Footnotes and endnotes. */
  notes: string;
  boxes: string;
}

/** By default, word-extractor replaces curly quotes and dashes. */
interface Unfiltered {
  getBody(options: { filterUnicode: false }): string;
  getFootnotes(options: { filterUnicode: false }): string;
  getEndnotes(options: { filterUnicode: false }): string;
  getTextboxes(options: { filterUnicode: false; includeHeadersAndFooters: false }): string;
}

/** Calls word-extractor. All its errors are caused by the file, because it has no other input. */
async function readWord97(bytes: Buffer): Promise<Word97Text> {
  try {
    const document: Unfiltered = await new WordExtractor().extract(withKnownNames(bytes));
    const filterUnicode = false as const;
    return {
      body: document.getBody({ filterUnicode }),
      notes: `${document.getFootnotes({ filterUnicode })}\n${document.getEndnotes({ filterUnicode })}`,
      boxes: document.getTextboxes({ filterUnicode, includeHeadersAndFooters: false }),
    };
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    throw new DocumentProblem('FILE_CORRUPT', undefined, { cause: error });
  }
}

/** Some programs write `worddocument`; word-extractor expects the spelling of Word. */
function withKnownNames(bytes: Buffer): Buffer {
  const renamed = Buffer.from(bytes);
  const file = new CompoundFile(bytes);
  for (const name of ['WordDocument', '0Table', '1Table', 'Data']) {
    const stream = file.find(name);
    if (stream) renamed.write(name, stream.at, 'utf16le');
  }
  return renamed;
}

/** The special hyphens of Word and their replacements, U+002D and U+00AD, which are the same in Windows-1252 and Unicode. */
const REPLACEMENTS = new Map([
  [0x1e, 0x2d],
  [0x1f, 0xad],
]);

/**
 * Replaces the special hyphens of a Word 97-2003 document by Unicode characters. Word stores a non-breaking hyphen as 0x1E and an
 * optional one as 0x1F; word-extractor drops the first and writes the second as the word "undefined". Returns a file without
 * readable tables unchanged: the following steps report the error.
 */
function withUnicodeHyphens(bytes: Buffer): Buffer {
  try {
    const copy = Buffer.from(bytes);
    const file = new CompoundFile(copy);
    const entry = file.find('WordDocument');
    if (!entry) return bytes;
    const document = file.head(entry, entry.size);
    const table = tableOf(file, document);
    if (!table) return bytes;
    replaceHyphens(document, textPieces(document, file.head(table, table.size)));
    file.overwrite(entry, document);
    return copy;
  } catch (error) {
    if (isDamage(error)) return bytes;
    throw error;
  }
}

/** Bounded by the length of the stream: a hostile file may list the same text in many pieces. */
function replaceHyphens(document: Buffer, pieces: TextPiece[]): void {
  let left = document.length;
  for (const { start, end, isWide } of pieces) {
    const step = isWide ? 2 : 1;
    for (let at = start; at + step <= Math.min(end, document.length) && left > 0; at += step, left -= step) {
      const replacement = REPLACEMENTS.get(isWide ? document.readUInt16LE(at) : document.readUInt8(at));
      if (replacement !== undefined) document[at] = replacement;
    }
  }
}

/** [MS-DOC] 2.5.7, FibRgFcLcb97: positions of the paragraph properties and of the text pieces in the table stream. */
const PAPX_AT = 0x0102;
const PIECES_AT = 0x01a2;
const PAGE_BYTES = 512;
const LONGEST_TITLE = 300;

interface WordHeading {
  level: number;
  text: string;
}

/** A run of text in the stream; `isWide`: its characters have 16 bits. */
interface TextPiece {
  start: number;
  end: number;
  isWide: boolean;
}

/**
 * The paragraphs of a DOC with a heading style, in the order of the file: the style indexes 1-9 always mean Heading 1-9, in any
 * language of Word ([MS-DOC] 2.9.271). word-extractor returns the text without styles.
 */
function wordHeadings(document: Buffer, table: Buffer): WordHeading[] {
  const pieces = textPieces(document, table);
  return paragraphPages(document, table)
    .flatMap((page) => headingRanges(document.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)))
    .map(({ level, start, end }) => ({ level, text: textAt(document, pieces, start, end) }))
    .filter(({ text }) => text !== '');
}

/**
 * Whether the error means damaged tables: reading past a buffer throws a RangeError. Compared by name, which is the
 * same in every realm.
 */
const isDamage = (error: unknown): boolean =>
  error instanceof DocumentProblem || (error as Partial<Error> | undefined)?.name === 'RangeError';

/** [MS-DOC] 2.5.2, fWhichTblStm: selects the stream with the tables of the document. */
const tableOf = (file: CompoundFile, document: Buffer): StreamEntry | undefined =>
  file.find((document.readUInt16LE(10) & 0x0200) === 0 ? '0Table' : '1Table');

/** Numbers of the 512-byte pages with paragraph properties. */
function paragraphPages(document: Buffer, table: Buffer): number[] {
  const plc = partOf(document, table, PAPX_AT);
  const count = Math.max(0, Math.floor((plc.length - 4) / 8));
  return Array.from({ length: count }, (_, index) => plc.readUInt32LE((count + 1 + index) * 4) & 0x3fffff);
}

function headingRanges(page: Buffer): { level: number; start: number; end: number }[] {
  if (page.length < PAGE_BYTES) return [];
  const runs = page.readUInt8(PAGE_BYTES - 1);
  return Array.from({ length: runs }, (_, run) => ({
    level: styleOf(page, runs, run),
    start: page.readUInt32LE(run * 4),
    end: page.readUInt32LE((run + 1) * 4),
  })).filter(({ level }) => level >= 1 && level <= 9);
}

/** [MS-DOC] 2.9.175, PapxInFkp: a length, a second one when the first is 0, and the style. */
function styleOf(page: Buffer, runs: number, run: number): number {
  const at = (page[(runs + 1) * 4 + run * 13] ?? 0) * 2;
  if (at === 0 || at + 4 > PAGE_BYTES) return 0;
  return page.readUInt16LE(page[at] === 0 ? at + 2 : at + 1);
}

/** [MS-DOC] 2.4.1. Throws a RangeError if the tables point outside their streams. */
function textPieces(document: Buffer, table: Buffer): TextPiece[] {
  const clx = partOf(document, table, PIECES_AT);
  let at = 0;
  while (clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1);
  const count = Math.floor((clx.readUInt32LE(at + 1) - 4) / 12);
  const plc = clx.subarray(at + 5, at + 5 + 4 + count * 12);
  return Array.from({ length: Math.floor((plc.length - 4) / 12) }, (_, index) => {
    const length = plc.readUInt32LE(4 * (index + 1)) - plc.readUInt32LE(4 * index);
    const fc = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const isWide = (fc & 0x40000000) === 0;
    const start = isWide ? fc : (fc & 0x3fffffff) / 2;
    return { start, end: start + length * (isWide ? 2 : 1), isWide };
  });
}

function partOf(document: Buffer, table: Buffer, at: number): Buffer {
  const start = document.readUInt32LE(at);
  return table.subarray(start, start + document.readUInt32LE(at + 4));
}

/** The text in the form of word-extractor: without field codes, which are enclosed by 0x13 and 0x14. */
function textAt(document: Buffer, pieces: TextPiece[], start: number, end: number): string {
  const piece = pieces.find((piece) => start >= piece.start && start < piece.end);
  if (!piece) return '';
  const bytes = document.subarray(start, Math.min(end, piece.end, start + 2 * LONGEST_TITLE));
  const text = iconv.decode(bytes, piece.isWide ? 'utf-16le' : 'windows-1252');
  return cleanLine(text.replaceAll(FIELD_CODE, ''));
}

const FIELD_CODE = new RegExp(String.raw`\x13[^\x13-\x15]{0,300}\x14`, 'g');
