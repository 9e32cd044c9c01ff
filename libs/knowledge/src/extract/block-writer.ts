import type { Block, BlockConsumer, Table } from '../blocks.js';
import { spellMarks } from './text/text-marks.js';
import { headerRows, joinHeader } from './table-shape.js';

/**
 * Invisible characters, which would break searches: control characters (PostgreSQL rejects NUL), soft hyphens, zero-width
 * spaces, byte order marks, direction marks, noncharacters. The joiners U+200C and U+200D are part of words in Persian and Hindi
 * and are kept.
 */
const INVISIBLE =
  /[^\P{Cc}\t\n]|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const SPACES = /[\u00a0\u2007\u202f]/g;
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Most texts need no cleaning. */
const PLAIN = /^[ -~\t\n]*$/;

/** Normalises text for storage and search: composed (NFC), well-formed, with `\n` as its only line end, its marks spelled. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  return spellMarks(text)
    .replace(LINE_ENDS, '\n')
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
    .replace(LONE_SURROGATES, '')
    .normalize('NFC');
}

/** For formats in which white space has no meaning: one line with single spaces. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

export interface Line {
  /** Without its line end. */
  text: string;
  /** Position in the source of the first character that is not a space. */
  offset: number;
  /** Position after the last character that is not a space. */
  end: number;
}

/** The range of consecutive lines in the source, including markup that was removed from their texts. */
export function placeOf(lines: Line[]): { offset: number; length: number } {
  const offset = lines[0]?.offset ?? 0;
  return { offset, length: (lines.at(-1)?.end ?? offset) - offset };
}

/** Iterates over lines that end with LF, CRLF or CR, without building a list. */
export function* linesOf(text: string): Generator<Line> {
  const lineEnd = /\r\n?|\n/g;
  let offset = text.startsWith('\ufeff') ? 1 : 0;
  while (offset < text.length) {
    lineEnd.lastIndex = offset;
    const found = lineEnd.exec(text);
    const line = text.slice(offset, found?.index);
    const indent = line.length - line.trimStart().length;
    yield { text: line, offset: offset + indent, end: offset + Math.max(indent, line.trimEnd().length) };
    if (!found) return;
    offset = lineEnd.lastIndex;
  }
}

/** Emits cleaned blocks with their offsets in the extracted text; skips empty ones. */
export class BlockWriter {
  private offset = 0;

  constructor(private readonly take: BlockConsumer) {}

  /** Characters written so far. */
  get characters(): number {
    return this.offset;
  }

  heading(level: number, text: string): void {
    const line = cleanLine(text);
    if (line === '') return;
    this.take({
      kind: 'heading',
      level: Math.min(Math.max(level, 1), 6),
      text: line,
      offset: this.advance(line.length),
    });
  }

  /** Keeps line breaks. */
  paragraph(text: string): void {
    const cleaned = cleanText(text).trim();
    if (cleaned === '') return;
    this.take({ kind: 'paragraph', text: cleaned, offset: this.advance(cleaned.length) });
  }

  /** A table in a text. `headers`: number of its first rows that name the columns, if the document says so. */
  table(rows: readonly string[][], headers?: number): void {
    const lines = rows.map((cells) => cells.map(cleanLine));
    const first = Math.min(headers ?? headerRows(lines), lines.length - 1);
    const table: Table = { header: joinHeader(lines.slice(0, first)), style: 'grid' };
    lines.slice(first).forEach((cells, index) => this.row(table, cells, index + 1));
  }

  /** `number`: 1 for the first row after the header. Skips rows of empty cells. */
  row(table: Table, cells: string[], number: number): void {
    const cleaned = cells.map(cleanLine);
    const length = cleaned.reduce((sum, cell) => sum + cell.length, 0);
    if (length === 0) return;
    const separators = ' | '.length * (cleaned.length - 1);
    this.take({ kind: 'row', table, cells: cleaned, number, offset: this.advance(length + separators) });
  }

  /** Blocks of another document, at the end of the text so far. */
  blocks(blocks: readonly Block[]): void {
    const from = this.offset;
    for (const block of blocks) {
      this.take({ ...block, offset: from + block.offset });
      const length = block.length ?? (block.kind === 'row' ? block.cells.join(' | ').length : block.text.length);
      this.offset = Math.max(this.offset, from + block.offset + length + 1);
    }
  }

  /** Returns the offset of the block; blocks are separated by a line end. */
  private advance(length: number): number {
    const at = this.offset;
    this.offset += length + 1;
    return at;
  }
}
