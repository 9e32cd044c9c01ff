import type { Block, Table } from '../blocks.js';
import { cleanLine, cleanText } from './clean-text.js';
import { frontMatterOf } from './front-matter.js';
import { plainWords } from './inline-markdown.js';
import { linesOf, placeOf, type Line } from './lines.js';
import { codeLine, markdownLine, type MarkdownLine } from './markdown-line.js';
import { isDelimiterRow, tableCells } from './markdown-table.js';

/** A longer line above a row of dashes is a paragraph above a rule. */
const LONGEST_TITLE = 200;

/**
 * The blocks of a Markdown text, line by line in linear time (marked and remark hang on nested input). A generator, so that
 * whoever reads a long text can pause. Offsets are positions in `text`.
 */
export function* markdownBlocks(text: string): Generator<Block> {
  const scanner = new MarkdownScanner(text);
  const start = frontMatterOf(text).end;
  for (const { text: words, offset, end } of linesOf(text.slice(start))) {
    yield* scanner.scan({ text: words, offset: offset + start, end: end + start });
  }
  yield* scanner.end();
}

class MarkdownScanner {
  private lines: Line[] = [];
  private fence: { mark: string; length: number } | undefined;
  private table: { table: Table; rows: number } | undefined;
  private inComment = false;
  private readonly lastCommentEnd: number;

  constructor(text: string) {
    this.lastCommentEnd = text.lastIndexOf('-->');
  }

  *scan(line: Line): Generator<Block> {
    if (this.isComment(line)) return;
    const read = markdownLine(line.text);
    if (this.fence) yield* this.scanCode(line, read);
    else if (this.table && read.kind === 'text' && read.text.includes('|')) yield* this.row(line, read.text);
    else if (read.kind === 'text' && this.lines.length > 0 && isDelimiterRow(read.text)) yield* this.startTable(line);
    else yield* this.scanLine(line, read);
  }

  *end(): Generator<Block> {
    yield* this.fence ? this.flushCode() : this.flush();
  }

  private *scanLine(line: Line, read: MarkdownLine): Generator<Block> {
    this.table = undefined;
    if (read.kind === 'text') this.lines.push({ ...line, text: read.text });
    else if (read.kind === 'underline' && this.isTitle()) yield* this.title(read.level);
    else yield* this.begin(line, read);
  }

  /** What ends the paragraph before it. */
  private *begin(line: Line, read: MarkdownLine): Generator<Block> {
    yield* this.flush();
    if (read.kind === 'heading') yield* heading(read.level, { ...line, text: read.text });
    if (read.kind === 'item') this.lines = [{ ...line, text: read.text }];
    if (read.kind === 'fence') this.fence = read;
  }

  private *scanCode(line: Line, read: MarkdownLine): Generator<Block> {
    const { mark, length } = this.fence!;
    const closes = read.kind === 'fence' && read.mark === mark && read.length >= length && /^[\s>`~]*$/.test(line.text);
    if (closes) yield* this.flushCode();
    else this.lines.push({ ...line, text: codeLine(line.text) });
  }

  private isTitle(): boolean {
    return this.lines.length === 1 && (this.lines[0]?.text.length ?? 0) <= LONGEST_TITLE;
  }

  private *title(level: number): Generator<Block> {
    const [line] = this.lines;
    this.lines = [];
    if (line) yield* heading(level, line);
  }

  /** The line above the dashes is the header; what stands above that is a paragraph. */
  private *startTable(line: Line): Generator<Block> {
    const header = this.lines.pop();
    yield* this.flush();
    if (!header) return;
    const cells = wordsOf(tableCells(header.text));
    if (cells.length === tableCells(line.text).length)
      this.table = { table: { header: cells, style: 'grid', offset: header.offset }, rows: 0 };
    else this.lines = [header];
  }

  private *row(line: Line, text: string): Generator<Block> {
    const { table } = this.table!;
    const cells = wordsOf(tableCells(text));
    const number = ++this.table!.rows;
    if (cells.some((cell) => cell !== '')) yield { kind: 'row', table, cells, number, ...placeOf([line]) };
  }

  private *flush(): Generator<Block> {
    const text = cleanText(plainWords(this.lines.map((line) => line.text).join('\n'))).trim();
    const place = placeOf(this.lines);
    this.lines = [];
    if (text !== '' && text !== '-') yield { kind: 'paragraph', text, ...place };
  }

  private *flushCode(): Generator<Block> {
    const text = cleanText(this.lines.map((line) => line.text).join('\n'))
      .replace(/^\n+/, '')
      .trimEnd();
    const place = placeOf(this.lines.slice(this.lines.findIndex((line) => line.text.trim() !== '')));
    this.lines = [];
    this.fence = undefined;
    if (text !== '') yield { kind: 'paragraph', text, ...place };
  }

  /** A comment of several lines; one that never ends is none. */
  private isComment({ text, offset }: Line): boolean {
    if (this.fence) return false;
    if (this.inComment) {
      this.inComment = !text.includes('-->');
      return true;
    }
    const begins = /^ {0,3}<!--/.test(text) && !text.includes('-->') && this.lastCommentEnd > offset;
    this.inComment = begins;
    return begins;
  }
}

function* heading(level: number, line: Line): Generator<Block> {
  const text = cleanLine(plainWords(line.text));
  if (text !== '') yield { kind: 'heading', level, text, ...placeOf([line]) };
}

const wordsOf = (cells: string[]): string[] => cells.map((cell) => cleanLine(plainWords(cell)));
