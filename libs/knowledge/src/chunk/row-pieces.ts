import type { RowBlock, Table } from '../blocks.js';
import { hardSplit } from './hard-split.js';
import { HEADER_LINE, LABEL, LIMIT, TARGET, weigh } from './token-estimate.js';
import { type Piece, pieceOf } from './piece.js';

/** How the rows of a table are written; worked out once per table. */
export interface TableWords {
  table: Table;
  /** The line above rows of a grid; '' where rows say the names themselves or there are none. */
  header: string;
  isGrid: boolean;
  labels: string[];
  /** The header itself, where rows cannot say all of it. */
  preface: string;
}

export function tableWords(table: Table): TableWords {
  const names = table.header.map(oneLine);
  const header = names.some((name) => name !== '') ? names.join(' | ') : '';
  const isGrid = table.style === 'grid' && weigh(header) <= HEADER_LINE;
  const labels = names.map((name) => cutTo(name, LABEL));
  const isCut = labels.some((label, column) => label !== names[column]);
  return { table, header: isGrid ? header : '', isGrid, labels, preface: isCut && !isGrid ? names.join('\n') : '' };
}

/** A row as one piece; a row too long for a chunk as several, parted between cells, each beginning with the row's first cell. */
export function rowPieces(row: RowBlock, words: TableWords): Piece[] {
  const cells = row.cells.map(oneLine);
  if (cells.every((cell) => cell === '')) return [];
  const text = words.isGrid ? cells.join(' | ') : labelled(cells, words.labels).join('\n');
  const whole = pieceOf(row, text, words.isGrid ? '\n' : '\n\n');
  const place = { table: row.table, number: row.number };
  if (whole.weight + weigh(words.header) + weigh('\n\n') <= LIMIT) {
    return [{ ...whole, row: { ...place, header: words.header } }];
  }
  return fragments(cells, words.labels).map((text) => ({
    ...whole,
    text,
    weight: weigh(text),
    glue: '\n\n',
    row: place,
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
  return filled(lines, room).map((text) => (text === '' ? key : `${key}\n${text}`));
}

/** A cell that is too long says its column's name in each part. */
function linesOf(cell: string, label: string | undefined, room: number): string[] {
  const line = withLabel(cell, label);
  if (weigh(line) <= room) return [line];
  const parts = hardSplit(cell, 0, cell.length, room - weigh(`${label ?? ''}: `));
  return [...parts].map(({ start, end }) => withLabel(cell.slice(start, end).trim(), label));
}

/** As many lines together as there is room for. */
function filled(lines: string[], room: number): string[] {
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

/** A cell's lines would look like rows. */
const oneLine = (cell: string): string => (/[\r\n\t]/.test(cell) ? cell.replace(/\s+/g, ' ') : cell).trim();

function cutTo(text: string, weight: number): string {
  const [first] = hardSplit(text, 0, text.length, weight);
  return first ? text.slice(0, first.end).trim() : '';
}
