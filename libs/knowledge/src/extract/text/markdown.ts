import type { Block, Table } from '../../blocks.js';
import { cleanLine, cleanText, type Line, linesOf, placeOf } from '../block-writer.js';
import { MarkdownWords } from './markdown-words.js';

/** A longer line above a row of dashes is a paragraph followed by a rule. */
const MAX_TITLE_LENGTH = 200;

/**
 * The blocks of a Markdown text, scanned line by line in linear time: the block parsers of marked and remark hang on nested input.
 * The lines of a block are read by a library. A generator, so that the caller can pause in a long text. Offsets are positions in `text`.
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
  private readonly words: MarkdownWords;

  constructor(text: string) {
    this.words = new MarkdownWords(text);
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

  /** A line that ends the previous paragraph. */
  private *begin(line: Line, read: MarkdownLine): Generator<Block> {
    yield* this.flush();
    if (read.kind === 'heading') yield* this.heading(read.level, { ...line, text: read.text });
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
    return this.lines.length === 1 && (this.lines[0]?.text.length ?? 0) <= MAX_TITLE_LENGTH;
  }

  private *title(level: number): Generator<Block> {
    const [line] = this.lines;
    this.lines = [];
    if (line) yield* this.heading(level, line);
  }

  private *heading(level: number, line: Line): Generator<Block> {
    const text = cleanLine(this.words.read(line.text, placeOf([line])));
    if (text !== '') yield { kind: 'heading', level, text, ...placeOf([line]) };
  }

  private cells(line: Line): string[] {
    return tableCells(line.text).map((cell) => cleanLine(this.words.read(cell, placeOf([line]))));
  }

  /** The line above the dashes is the header; the lines above it are a paragraph. */
  private *startTable(line: Line): Generator<Block> {
    const header = this.lines.pop();
    yield* this.flush();
    if (!header) return;
    const cells = this.cells(header);
    if (cells.length === tableCells(line.text).length)
      this.table = { table: { header: cells, style: 'grid', offset: header.offset }, rows: 0 };
    else this.lines = [header];
  }

  private *row(line: Line, text: string): Generator<Block> {
    const { table } = this.table!;
    const cells = this.cells({ ...line, text });
    const number = ++this.table!.rows;
    if (cells.some((cell) => cell !== '')) yield { kind: 'row', table, cells, number, ...placeOf([line]) };
  }

  private *flush(): Generator<Block> {
    const place = placeOf(this.lines);
    const text = linesWithWords(cleanText(this.words.read(this.lines.map((line) => line.text).join('\n'), place)));
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

  /** Whether the line is part of a multi-line comment; an unterminated comment is text. */
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

/** Tags at the ends of lines leave empty ones. */
const linesWithWords = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .trim();
};

/** The kind of a single line; its meaning also depends on the previous lines. */
type MarkdownLine =
  | { kind: 'blank' }
  | { kind: 'fence'; mark: string; length: number }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'underline'; level: 1 | 2 }
  | { kind: 'rule' }
  | { kind: 'item'; text: string }
  | { kind: 'definition' }
  | { kind: 'text'; text: string };

function markdownLine(source: string): MarkdownLine {
  const line = withoutQuotes(source).trimEnd();
  const text = line.trimStart();
  if (text === '') return { kind: 'blank' };
  const fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[0];
  if (fence !== undefined) return { kind: 'fence', mark: fence.charAt(0), length: fence.length };
  return headingOf(text) ?? ruleOf(text) ?? itemOf(text) ?? { kind: isDefinition(text) ? 'definition' : 'text', text };
}

/** A line of a code block without quotation marks. */
const codeLine = withoutQuotes;

/** Removes quotation marks. A loop, because a regular expression would not strip a million marks in linear time. */
function withoutQuotes(line: string): string {
  if (!/^ {0,3}>/.test(line)) return line;
  let at = 0;
  while (at < line.length && ' >'.includes(line.charAt(at))) at++;
  return line.slice(at);
}

function headingOf(text: string): MarkdownLine | undefined {
  const marks = /^#{1,6}(?=[ \t]|$)/.exec(text)?.[0];
  if (marks === undefined) return undefined;
  return { kind: 'heading', level: marks.length, text: withoutClosing(text.slice(marks.length).trim()) };
}

/** `## Title ##` and `## Title {#anchor}`. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '#') end--;
  const closed = end < text.length && (end === 0 || /\s/.test(text.charAt(end - 1))) ? text.slice(0, end) : text;
  return closed.replace(/\s\{#[\w:.-]{1,100}\}\s*$/, '').trim();
}

function ruleOf(text: string): MarkdownLine | undefined {
  if (text.length > 1_000) return undefined;
  if (/^=+$/.test(text)) return { kind: 'underline', level: 1 };
  if (/^-+$/.test(text)) return { kind: 'underline', level: 2 };
  return /^(?:[-*_][ \t]*){3,}$/.test(text) && new Set(text.replace(/\s/g, '')).size === 1
    ? { kind: 'rule' }
    : undefined;
}

/** Keeps the written numbers: "step 3" must not be renumbered. */
function itemOf(text: string): MarkdownLine | undefined {
  const bullet = /^(?:[-*+]|(\d{1,9}[.)]))[ \t]+(?=\S)/.exec(text);
  if (!bullet) return undefined;
  return { kind: 'item', text: `${bullet[1] ?? '-'} ${text.slice(bullet[0].length)}` };
}

/** A link definition, `[name]: url`; a footnote `[^1]: text` is text. */
const isDefinition = (text: string): boolean => /^\[(?!\^)[^[\]]{1,200}\]:[ \t]*\S/.test(text);

/** Whether the line is the delimiter row below a table's header. Checks characters first, then matches each cell. */
function isDelimiterRow(line: string): boolean {
  if (line.length > 10_000 || !line.includes('|') || !line.includes('-')) return false;
  return tableCells(line).every((cell) => /^:?-+:?$/.test(cell));
}

/** The cells between unescaped pipes, without the outer pipes. */
function tableCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Longer front matter is a text that begins with a rule. */
const MAX_CHARACTERS = 10_000;

/** Front matter at the start: YAML between `---` lines, TOML between `+++` lines. `end`: the position at which the text begins. */
export function frontMatterOf(text: string): { end: number; title?: string } {
  const head = text.slice(0, MAX_CHARACTERS);
  const [opening] =
    /^\ufeff?---[ \t]*\r?\n(?=\w[\w -]*:)|^\ufeff?\+\+\+[ \t]*\r?\n(?=\s{0,100}(?:[\w"'.-]+[ \t]*=|\[|#))/.exec(head) ??
    [];
  if (opening === undefined) return { end: 0 };
  const closing = opening.includes('+') ? /^\+\+\+[ \t]*\r?$/gm : /^(?:---|\.\.\.)[ \t]*\r?$/gm;
  closing.lastIndex = opening.length;
  const found = closing.exec(head);
  if (!found) return { end: 0 };
  const title = /^title[ \t]*[:=][ \t]*(.*?)[ \t]*\r?$/m
    .exec(head.slice(0, found.index))?.[1]
    ?.replace(/^(["'])(.*)\1$/, '$2');
  return title ? { end: closing.lastIndex, title } : { end: closing.lastIndex };
}
