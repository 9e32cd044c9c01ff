import type { Block, ParagraphBlock, RowBlock, Table } from '../blocks.js';
import { HEADER_LINE, LABEL, LIMIT, TARGET, weigh } from './text-measures.js';
import { hardSplit, isSpace, sentences, type Span } from './split-text.js';

/** The smallest unit of a chunk, which no later step splits: a paragraph, a sentence, a row, a heading. */
export interface Piece {
  text: string;
  weight: number;
  /** Position in the extracted text. */
  start: number;
  end: number;
  /** Separator between the previous piece and this one. */
  glue: '' | ' ' | '\n' | '\n\n';
  page?: number;
  row?: RowPlace;
  /** The paragraph, if the piece is a whole sentence of a split paragraph. */
  sentenceOf?: ParagraphBlock;
  /** A repetition: a table's header, or the sentence that two chunks share. */
  repeated?: boolean;
}

interface RowPlace {
  number: number;
  /** A row of a grid in one line, below the line of column names; otherwise each cell names its column. */
  isLine: boolean;
}

export const pieceOf = (block: Block, text: string, glue: Piece['glue'] = '\n\n'): Piece => ({
  text,
  weight: weigh(text),
  start: block.offset,
  end: block.offset + (block.length ?? text.length),
  glue,
  page: block.page,
});

const LIST_ITEM = /^(?:[-*+•–]|\d{1,3}[.)])\s/;

/** A paragraph as one piece, or sentence by sentence if it is too long for a chunk. */
export function* paragraphPieces(block: ParagraphBlock): Generator<Piece> {
  const whole = trim(block.text, { start: 0, end: block.text.length });
  if (whole.start === whole.end) return;
  const weight = weigh(block.text, whole.start, whole.end);
  if (weight <= LIMIT) yield partOf(block, whole, weight, LIST_ITEM.test(block.text) ? '\n' : '\n\n');
  else yield* sentencePieces(block, whole);
}

function* sentencePieces(block: ParagraphBlock, whole: Span): Generator<Piece> {
  const { text } = block;
  let before = whole.start;
  for (const sentence of sentences(text, whole.start, whole.end)) {
    const weight = weigh(text, sentence.start, sentence.end);
    const isWhole = weight <= TARGET;
    for (const span of isWhole ? [sentence] : hardSplit(text, sentence.start, sentence.end, TARGET)) {
      const part = trim(text, span);
      if (part.start === part.end) continue;
      const glue = part.start === whole.start ? '\n\n' : gap(text, before, part.start);
      yield partOf(
        block,
        part,
        isWhole ? weight : weigh(text, part.start, part.end),
        glue,
        isWhole ? block : undefined,
      );
      before = part.end;
    }
  }
}

function partOf(
  block: ParagraphBlock,
  { start, end }: Span,
  weight: number,
  glue: Piece['glue'],
  sentenceOf?: ParagraphBlock,
): Piece {
  const { text, offset, length, page } = block;
  // Positions inside a text that differs from its source are unknown: such a piece points to its whole paragraph.
  const isSource = length === undefined || length === text.length;
  return {
    text: text.slice(start, end),
    weight,
    start: isSource ? offset + start : offset,
    end: isSource ? offset + end : offset + length,
    glue,
    page,
    sentenceOf,
  };
}

function trim(text: string, { start, end }: Span): Span {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return { start: from, end: to };
}

const gap = (text: string, from: number, to: number): Piece['glue'] => {
  if (from === to) return '';
  return text.slice(from, to).includes('\n') ? '\n' : ' ';
};

/** How the rows of a table are written; computed once per table. */
export interface TableWords {
  table: Table;
  /** The line above the rows of a grid; '' if the rows contain the column names or there are none. */
  header: string;
  headerWeight: number;
  isGrid: boolean;
  labels: string[];
  /** The complete header, if the rows contain it only in part. */
  preface: string;
}

export function tableWords(table: Table): TableWords {
  const names = table.header.map(oneLine);
  const line = names.some((name) => name !== '') ? names.join(' | ') : '';
  const isGrid = table.style === 'grid' && weigh(line) <= HEADER_LINE;
  const header = isGrid ? line : '';
  const labels = names.map((name) => cutTo(name, LABEL));
  const isCut = labels.some((label, column) => label !== names[column]);
  const preface = isCut && !isGrid ? names.join('\n') : '';
  return { table, header, headerWeight: weigh(header), isGrid, labels, preface };
}

/** The line of column names above a row. */
export const headerPiece = (row: Piece, { header, headerWeight }: TableWords): Piece => ({
  ...row,
  text: header,
  weight: headerWeight,
  glue: '\n\n',
  row: undefined,
  repeated: true,
});

/** A row as one piece; a row too long for a chunk as several, split between cells, each beginning with the row's first cell. */
export function rowPieces(row: RowBlock, words: TableWords): Piece[] {
  const cells = row.cells.map(oneLine);
  if (cells.every((cell) => cell === '')) return [];
  const text = words.isGrid ? cells.join(' | ') : labelled(cells, words.labels).join('\n');
  const whole = pieceOf(row, text, words.isGrid ? '\n' : '\n\n');
  const { number } = row;
  if (whole.weight + words.headerWeight + weigh('\n\n') <= LIMIT) {
    return [{ ...whole, row: { number, isLine: words.isGrid } }];
  }
  return fragments(cells, words.labels).map((text) => ({
    ...whole,
    text,
    weight: weigh(text),
    glue: '\n\n',
    row: { number, isLine: false },
  }));
}

const labelled = (cells: string[], labels: string[]): string[] =>
  cells.flatMap((cell, column) => (cell === '' ? [] : [withLabel(cell, labels[column])]));

const withLabel = (cell: string, label: string | undefined): string => (label ? `${label}: ${cell}` : cell);

function fragments(cells: string[], labels: string[]): string[] {
  const first = cells.findIndex((cell) => cell !== '');
  const shortened = cutTo(cells[first]!, LABEL);
  const key = withLabel(shortened, labels[first]);
  const room = TARGET - weigh(key) - weigh('\n');
  const lines = cells.flatMap((cell, column) =>
    cell === '' || (column === first && cell === shortened) ? [] : linesOf(cell, labels[column], room),
  );
  return fill(lines, room).map((text) => (text === '' ? key : `${key}\n${text}`));
}

/** Each part of a cell that is too long begins with the column's name. */
function linesOf(cell: string, label: string | undefined, room: number): string[] {
  const line = withLabel(cell, label);
  if (weigh(line) <= room) return [line];
  const parts = hardSplit(cell, 0, cell.length, room - weigh(`${label ?? ''}: `));
  return [...parts].map(({ start, end }) => withLabel(cell.slice(start, end).trim(), label));
}

/** Groups lines as far as they fit. */
function fill(lines: string[], room: number): string[] {
  const texts: string[] = [];
  let taken: string[] = [];
  let weight = 0;
  for (const line of lines) {
    const more = weigh(line) + weigh('\n');
    if (taken.length > 0 && weight + more > room) {
      texts.push(taken.join('\n'));
      taken = [];
      weight = 0;
    }
    taken.push(line);
    weight += more;
  }
  return [...texts, taken.join('\n')];
}

/** Line breaks inside a cell would look like rows. */
const oneLine = (cell: string): string => (/[\r\n\t]/.test(cell) ? cell.replace(/\s+/g, ' ') : cell).trim();

function cutTo(text: string, weight: number): string {
  const [first] = hardSplit(text, 0, text.length, weight);
  return first ? text.slice(0, first.end).trim() : '';
}
