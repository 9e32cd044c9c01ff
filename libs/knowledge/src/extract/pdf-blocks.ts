import type { Block, Table } from '../blocks.js';
import { fromTheLeft, inReadingOrder, isSameRow, overlapX } from './pdf-order.js';
import { isSameSize, type Paragraph, ParagraphWriter, WIDER } from './pdf-paragraphs.js';
import { endsInHyphen, type Piece } from './pdf-piece.js';
import { type PdfTable, withTables } from './pdf-tables.js';
import { headerRows, joinedHeader } from './table-shape.js';

type Part = Paragraph | PdfTable;

/** The blocks of a document with these pieces; each page lists its pieces in the order of its content stream. */
export function* blocksOf(pages: readonly Piece[][]): Generator<Block> {
  const ordered = withOwnHyphens(fromTheLeft(withoutRunningLines(pages)).map(inReadingOrder));
  const parts = partsOf(ordered);
  const levels = new HeadingLevels(parts.filter((part): part is Paragraph => !isTable(part)));
  let offset = 0;
  for (const part of parts) {
    for (const block of isTable(part) ? tableBlocks(part, offset) : [paragraphBlock(part, levels.of(part), offset)]) {
      yield block;
      offset = block.offset + lengthOf(block) + 1;
    }
  }
}

const isTable = (part: Piece | Part): part is PdfTable => 'rows' in part;

function partsOf(pages: readonly Piece[][]): Part[] {
  const leading = usualLeading(pages);
  const writer = new ParagraphWriter(leading);
  const parts: Part[] = [];
  const add = (part: Part | undefined): void => void (part && parts.push(part));
  const edges = rightEdges(pages, leading);
  // A table may continue on the next page.
  for (const item of withTables(pages.flat())) {
    if (isTable(item)) [writer.end(), item].forEach(add);
    else add(writer.add(item, edges.get(item) ?? item.right));
  }
  add(writer.end());
  return parts;
}

/** Distance of baselines in ems: the median over consecutive lines of the same size. */
function usualLeading(pages: readonly Piece[][]): number {
  const steps: number[] = [];
  for (const page of pages) {
    page.forEach((piece, index) => {
      const above = page[index - 1];
      if (!above || above.size !== piece.size || overlapX(above, piece) <= 0) return;
      const step = (piece.baseline - above.baseline) / piece.size;
      if (step > 0.8 && step < 2.5) steps.push(step);
    });
  }
  return steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 1.2;
}

/** The right edge of each line's column: that of the longest line in a group of close lines. */
function rightEdges(pages: readonly Piece[][], leading: number): Map<Piece, number> {
  const edges = new Map<Piece, number>();
  for (const page of pages) {
    let run: Piece[] = [];
    const close = (): void => {
      const edge = run.reduce((right, piece) => Math.max(right, piece.right), 0);
      for (const piece of run.splice(0)) edges.set(piece, edge);
    };
    for (const piece of page) {
      const last = run.at(-1);
      if (last && !isClose(last, piece, leading)) close();
      run.push(piece);
    }
    close();
  }
  return edges;
}

function isClose(above: Piece, below: Piece, leading: number): boolean {
  const step = below.baseline - above.baseline;
  return (
    isSameRow(above, below) ||
    (isSameSize(above, below) && step > 0 && step <= leading * WIDER * above.size && overlapX(above, below) > 0)
  );
}

function paragraphBlock({ text, page }: Paragraph, level: number | undefined, offset: number): Block {
  return level === undefined
    ? { kind: 'paragraph', text, offset, page }
    : { kind: 'heading', level, text, offset, page };
}

/** The header occupies its position in the text, but is not a block. */
function tableBlocks({ rows }: PdfTable, start: number): Block[] {
  const lines = rows.map(({ cells }) => cells);
  const header = lines.slice(0, Math.min(headerRows(lines), lines.length - 1));
  const table: Table = { header: joinedHeader(header), style: 'grid', offset: start };
  let offset = start + header.reduce((length, cells) => length + cells.join(CELL_END).length + 1, 0);
  return rows.slice(header.length).map(({ cells, page }, index) => {
    const length = cells.join(CELL_END).length;
    const block: Block = { kind: 'row', table, cells, number: index + 1, offset, length, page };
    offset += length + 1;
    return block;
  });
}

const CELL_END = ' | ';

const lengthOf = (block: Block): number =>
  block.kind === 'row' ? block.cells.join(CELL_END).length : block.text.length;

/** Size of titles relative to the body text, at least. */
const LARGER = 1.12;
/** Sizes that differ by less belong to the same level. In points. */
const SAME_LEVEL = 0.6;
const LONGEST = 200;
const LONGEST_STRONG = 120;
const MOST_LINES = 3;
const LOWEST_LEVEL = 6;
/** Share of the text: if more of it is bold or in capitals, that does not indicate titles. */
const MOST_STRONG = 0.3;
/** Fewer capital letters are an abbreviation. */
const FEWEST_CAPITALS = 8;

/** Detects headings and their levels by the font sizes of the document. */
class HeadingLevels {
  private readonly body: number;
  private readonly sizes: number[] = [];
  private readonly strongCounts: boolean;

  constructor(paragraphs: readonly Paragraph[]) {
    this.body = commonSize(paragraphs);
    const strong = textLength(paragraphs.filter(isStrong));
    this.strongCounts = strong < textLength(paragraphs) * MOST_STRONG;
    const larger = paragraphs.filter((paragraph) => this.isLarger(paragraph)).map(({ size }) => size);
    for (const size of larger.toSorted((a, b) => b - a)) {
      const last = this.sizes.at(-1);
      if (last === undefined || last - size > SAME_LEVEL) this.sizes.push(size);
    }
  }

  /** 1 to 6; undefined if the paragraph is not a heading. */
  of(paragraph: Paragraph): number | undefined {
    if (this.isLarger(paragraph)) {
      const level = this.sizes.findIndex((size) => size - paragraph.size <= SAME_LEVEL) + 1;
      return Math.min(level, LOWEST_LEVEL);
    }
    return this.isStrongTitle(paragraph) ? Math.min(this.sizes.length + 1, LOWEST_LEVEL) : undefined;
  }

  private isLarger({ text, size, lines }: Paragraph): boolean {
    return size >= this.body * LARGER && text.length <= LONGEST && lines <= MOST_LINES && hasLetters(text);
  }

  private isStrongTitle(paragraph: Paragraph): boolean {
    const { text, size, lines, item } = paragraph;
    const short = text.length <= LONGEST_STRONG && lines < MOST_LINES && size >= this.body * 0.95;
    return (
      this.strongCounts &&
      short &&
      isStrong(paragraph) &&
      !/[.,;:!。，；：]$/u.test(text) &&
      !(item && text.startsWith('-'))
    );
  }
}

/** Bold or in capitals. */
const isStrong = ({ text, bold }: Paragraph): boolean =>
  hasLetters(text) &&
  (bold || ((text.match(/\p{Lu}/gu)?.length ?? 0) >= FEWEST_CAPITALS && text === text.toUpperCase()));

/** The most common size of the text, rounded to half a point. */
function commonSize(paragraphs: readonly Paragraph[]): number {
  const lengths = new Map<number, number>();
  for (const { size, text } of paragraphs) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  return [...lengths].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0];
}

const textLength = (paragraphs: readonly Paragraph[]): number =>
  paragraphs.reduce((sum, { text }) => sum + text.length, 0);

const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** Share of lines: in a hyphenated text, more lines end with a hyphen. */
const HYPHENATED = 0.03;

/** A word with a hyphen at the end of a line. */
interface SplitWord {
  line: Piece;
  before: string;
  after: string;
}

/**
 * PDFium marks every hyphen at the end of a line as hyphenation. Hyphens that belong to the word ("Anglo-Danes", "COVID-19") are
 * restored: before capitals and digits, if the document contains the word with a hyphen elsewhere, and, if it contains the word in
 * neither form, if its lines are not hyphenated.
 */
function withOwnHyphens(pages: readonly Piece[][]): Piece[][] {
  const split = pages.flatMap(splitWords);
  if (split.length === 0) return [...pages];
  const words = writtenAmong(pages, new Set(split.flatMap((word) => [joined(word), hyphened(word)])));
  const isHyphenated = split.length > pages.reduce((sum, { length }) => sum + length, 0) * HYPHENATED;
  const isOwn = (word: SplitWord): boolean => {
    if (/^[\p{Lu}\p{N}]/u.test(word.after)) return true;
    if (words.has(joined(word))) return false;
    return words.has(hyphened(word)) || !isHyphenated;
  };
  const own = new Set(split.filter(isOwn).map(({ line }) => line));
  const withOwn = (line: Piece): Piece => (own.has(line) ? { ...line, text: `${line.text.slice(0, -1)}-` } : line);
  return pages.map((page) => page.map(withOwn));
}

function splitWords(page: readonly Piece[]): SplitWord[] {
  return page.flatMap((line, index) => {
    if (!endsInHyphen(line.text)) return [];
    const before = /[\p{L}\p{N}]*$/u.exec(line.text.slice(0, -1))?.[0] ?? '';
    const after = /^[\p{L}\p{N}]+/u.exec(page[index + 1]?.text ?? '')?.[0] ?? '';
    return [{ line, before, after }];
  });
}

const joined = ({ before, after }: SplitWord): string => `${before}${after}`.toLowerCase();

const hyphened = ({ before, after }: SplitWord): string => `${before}-${after}`.toLowerCase();

/** The wanted words that occur inside a line. A set of all words would be as large as the document. */
function writtenAmong(pages: readonly Piece[][], wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const page of pages)
    for (const { text } of page)
      for (const word of text.toLowerCase().match(WORD) ?? []) if (wanted.has(word)) found.add(word);
  return found;
}

const WORD = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

/** Share of the text; repeated lines beyond it are content, not headers. */
const MOST_TO_STRIP = 0.3;
/** Minimum number of pages; on two pages only identical lines count. */
const FEWEST_PAGES = { same: 2, numbered: 3 };
/** Minimum share of the pages: covers headers of one chapter, and numbered ones on left pages only. */
const LEAST_SHARE = { same: 0.2, numbered: 0.4 };
/** Relative to the usual size: larger lines are titles, which may also begin pages. */
const LARGEST = 1.2;
/** Number of rows at the top and at the bottom that may be headers and footers. */
const ROWS = 3;
/** In points: tolerance for the position of a header on other pages. */
const SAME_HEIGHT = 4;

/** Removes headers, footers and page numbers that repeat at the same height on several pages. */
function withoutRunningLines(pages: readonly Piece[][]): Piece[][] {
  const candidates = pages.map((pieces) => new Map(outerPieces(pieces).map((piece) => [piece, keyOf(piece)])));
  const counts = new Map<string, number>();
  for (const keys of candidates) for (const key of new Set(keys.values())) counts.set(key, (counts.get(key) ?? 0) + 1);
  const written = pages.filter(({ length }) => length > 0).length;
  const repeated = (page: number, piece: Piece): boolean => {
    const key = candidates[page]?.get(piece) ?? '';
    const kind = key.includes('#') ? 'numbered' : 'same';
    return (counts.get(key) ?? 0) >= Math.max(FEWEST_PAGES[kind], written * LEAST_SHARE[kind]);
  };
  const stripped = pages.map((pieces, page) => pieces.filter((piece) => !repeated(page, piece)));
  return pagesLength(stripped) >= pagesLength(pages) * (1 - MOST_TO_STRIP) ? stripped : [...pages];
}

function outerPieces(pieces: readonly Piece[]): Piece[] {
  const heights = [...new Set(pieces.map(({ baseline }) => Math.round(baseline)))].toSorted((a, b) => a - b);
  const [top, bottom] = [heights[ROWS - 1] ?? Infinity, heights.at(-ROWS) ?? -Infinity];
  const sizes = pieces.map(({ size }) => size).toSorted((a, b) => a - b);
  const largest = LARGEST * (sizes[sizes.length >> 1] ?? 0);
  return pieces.filter(
    ({ baseline, size }) => size <= largest && (Math.round(baseline) <= top || Math.round(baseline) >= bottom),
  );
}

/** Numbers are replaced, because they count up from page to page; Roman ones only if they stand alone. */
function keyOf({ text, baseline, turn }: Piece): string {
  const shape = text.replace(/\p{N}+/gu, '#').replace(/^[-–—\s]*[ivxlc]+[-–—\s]*$/i, '#');
  return `${turn} ${Math.round(baseline / SAME_HEIGHT)} ${shape}`;
}

const pagesLength = (pages: readonly Piece[][]): number =>
  pages.reduce((sum, pieces) => sum + pieces.reduce((length, { text }) => length + text.length, 0), 0);
