import { readFile } from 'node:fs/promises';
import type { Table, TakeBlock } from '../blocks.js';
import { BlockWriter } from './block-writer.js';
import { cleanLine } from './clean-text.js';
import { CompoundFile } from './compound-file.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts } from './extract.js';
import { isDamage, tableOf, type TextPiece, textPieces, type WordHeading, wordHeadings } from './word-styles.js';
import WordExtractor from 'word-extractor';

export async function extractDoc(path: string, take: TakeBlock): Promise<DocumentFacts> {
  const bytes = withUnicodeHyphens(await readFile(path));
  const text = await readWord97(bytes);
  const writer = new BlockWriter(take);
  new DocBody(writer, headingsOf(bytes)).write(text);
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return {};
}

/** Without the tables that say where headings are, a document has none; its text is there all the same. */
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

/** Lines as word-extractor gives them: a line is a paragraph, and one that ends in a tab is a row of a table. */
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

  /** A row with others below it is their header; one alone is a row without. */
  private row(cells: string[], hasMore: boolean): void {
    if (this.table) return this.writer.row(this.table, cells, ++this.rows);
    if (!hasMore) return this.writer.paragraph(cells.filter((cell) => cell.trim() !== '').join(' | '));
    this.table = { header: cells.map(cleanLine), style: 'grid' };
    this.rows = 0;
  }

  /** Headings come in the order of the text; one that is not found does not hold up the others. */
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

/** The texts of a Word 97-2003 document: paragraphs and table rows by lines, cells end by tabs. */
interface Word97Text {
  body: string;
  /** Footnotes and endnotes. */
  notes: string;
  boxes: string;
}

/** By default it turns curly quotes and dashes into others than people see. */
interface Unfiltered {
  getBody(options: { filterUnicode: false }): string;
  getFootnotes(options: { filterUnicode: false }): string;
  getEndnotes(options: { filterUnicode: false }): string;
  getTextboxes(options: { filterUnicode: false; includeHeadersAndFooters: false }): string;
}

/** The one place that knows word-extractor. Whatever it throws, it throws because of the file: there is nothing else it touches. */
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

/** Some programs write `worddocument`; word-extractor looks for the names as Word writes them. */
function withKnownNames(bytes: Buffer): Buffer {
  const renamed = Buffer.from(bytes);
  const file = new CompoundFile(bytes);
  for (const name of ['WordDocument', '0Table', '1Table', 'Data']) {
    const stream = file.find(name);
    if (stream) renamed.write(name, stream.at, 'utf16le');
  }
  return renamed;
}

/** The hyphens of Word and what replaces them, the same in Windows-1252 and in Unicode: U+002D and U+00AD. */
const REPLACEMENTS = new Map([
  [0x1e, 0x2d],
  [0x1f, 0xad],
]);

/**
 * A Word 97-2003 document whose special hyphens are characters of Unicode. Word stores a non-breaking hyphen as 0x1E and an optional one as 0x1F;
 * word-extractor drops the first and writes the second as the word "undefined". A file without readable tables comes back as it is, and the
 * readers after this one give the error.
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

/** Looks at no more bytes than the stream has: a hostile file may name the same text in many pieces. */
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
