import type { Block, Table } from '../../blocks.js';
import { withColumnsApart } from './pdf-columns.js';
import { HeadingLevels } from './pdf-headings.js';
import { fromTheLeft, inReadingOrder, isSameRow, overlapX } from './pdf-order.js';
import { isSameSize, type Paragraph, ParagraphWriter, WIDER } from './pdf-paragraphs.js';
import { endsInHyphen, type Piece } from './pdf-piece.js';
import { withoutRunningLines } from './pdf-running-lines.js';
import { type PdfTable, withTables } from './pdf-tables.js';
import { headerRows, joinHeader } from '../table-shape.js';

type Part = Paragraph | PdfTable;

/** The blocks of a document with these pieces; each page lists its pieces in the order of its content stream. */
export function* blocksOf(pages: readonly Piece[][]): Generator<Block> {
  const upright = fromTheLeft(withoutRunningLines(pages));
  const ordered = withOwnHyphens(upright.map((page) => withColumnsApart(inReadingOrder(page))));
  const parts = partsOf(ordered);
  const levels = new HeadingLevels(
    parts.map((part) => (isTable(part) ? undefined : part)),
    ordered,
  );
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
  const table: Table = { header: joinHeader(header), style: 'grid', offset: start };
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
  const words = writtenAmong(pages, new Set(split.flatMap((word) => [join(word), hyphened(word)])));
  const isHyphenated = split.length > pages.reduce((sum, { length }) => sum + length, 0) * HYPHENATED;
  const isOwn = (word: SplitWord): boolean => {
    if (/^[\p{Lu}\p{N}]/u.test(word.after)) return true;
    if (words.has(join(word))) return false;
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

const join = ({ before, after }: SplitWord): string => `${before}${after}`.toLowerCase();

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
