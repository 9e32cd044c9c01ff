import type { Block, Table } from '../blocks.js';
import { fromTheLeft } from './pdf-direction.js';
import { HeadingLevels } from './pdf-headings.js';
import { withOwnHyphens } from './pdf-hyphens.js';
import { inReadingOrder, isSameRow, overlapX } from './pdf-order.js';
import { isSameSize, ParagraphWriter, WIDER, type Paragraph } from './pdf-paragraphs.js';
import type { Piece } from './pdf-piece.js';
import { withoutRunningLines } from './pdf-running-lines.js';
import { withTables, type PdfTable } from './pdf-tables.js';

type Part = Paragraph | PdfTable;

/** The blocks of a document whose pages have these pieces, each page in the order of its content. */
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
  // A table may go on at the next page.
  for (const item of withTables(pages.flat())) {
    if (isTable(item)) [writer.end(), item].forEach(add);
    else add(writer.add(item, edges.get(item) ?? item.right));
  }
  add(writer.end());
  return parts;
}

/** From baseline to baseline in ems, the median of lines of the same size that follow each other. */
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

/** Where the column ends that a line stands in: as far as the longest of the lines that stand close together there. */
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

/** The header takes its place in the text, but is no block. */
function tableBlocks({ rows: [first, ...rows] }: PdfTable, start: number): Block[] {
  const header = first?.cells ?? [];
  const table: Table = { header, style: 'grid', offset: start };
  let offset = start + header.join(CELL_END).length + 1;
  return rows.map(({ cells, page }, index) => {
    const length = cells.join(CELL_END).length;
    const block: Block = { kind: 'row', table, cells, number: index + 1, offset, length, page };
    offset += length + 1;
    return block;
  });
}

const CELL_END = ' | ';

const lengthOf = (block: Block): number =>
  block.kind === 'row' ? block.cells.join(CELL_END).length : block.text.length;
