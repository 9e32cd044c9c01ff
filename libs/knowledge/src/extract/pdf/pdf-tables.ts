import { overlapX, type Span } from './pdf-order.js';
import { isMarker, joinText, LEADERS, type Piece } from './pdf-piece.js';

/** Each row has one cell per column. */
export interface PdfTable {
  rows: { cells: string[]; page: number }[];
}

/** Minimum: a header and a row of three cells each, or a header and two rows of two cells. */
const MIN = { rows: 2, cells: 6 };
/** In ems, distance between rows. */
const MAX_STEP = 3.5;
/** Maximum number of consecutive rows with a single cell: their other cells are empty, or they are lines of a cell. */
const ROWS_BETWEEN = 2;
/** Minimum share of rows with a cell in every column. */
const FULL_ROWS = 0.5;
/** Characters per line: two columns of longer lines are text, not a table. */
const PROSE_LINE = 40;

/** The pieces in order, in which pieces of a table are replaced by the table. */
export function withTables(pieces: readonly Piece[]): (Piece | PdfTable)[] {
  const rows = rowsOf(pieces);
  const found: (Piece | PdfTable)[] = [];
  for (let at = 0; at < rows.length;) {
    const run = runAt(rows, at);
    const table = tableOf(run);
    if (table) found.push(table);
    else found.push(...run.flatMap(({ cells }) => cells.flatMap((cell) => cell.pieces)));
    at += run.length;
  }
  return found;
}

/** The rows from `at` to the last one with several cells in the same columns; at least the row itself. */
function runAt(rows: readonly Row[], at: number): Row[] {
  const first = rows[at];
  if (!first || first.cells.length < 2) return rows.slice(at, at + 1);
  let columns = joinSpans(first.cells);
  let end = at + 1;
  for (let next = end; next - end <= ROWS_BETWEEN; next++) {
    const [above, row] = [rows[next - 1], rows[next]];
    if (!above || !row || !isBelow(above, row) || !fits(row, columns)) break;
    columns = joinSpans([...columns, ...row.cells]);
    if (row.cells.length > 1) end = next + 1;
  }
  return rows.slice(at, end);
}

/** Whether the row follows the other one, possibly at the top of the next page. */
function isBelow(above: Row, row: Row): boolean {
  if (row.page === above.page + 1) return true;
  const step = row.top - above.bottom;
  return row.page === above.page && step > -row.size && step <= MAX_STEP * Math.max(above.size, row.size);
}

/** Whether no cell overlaps two columns; a single cell must be inside a column. */
const fits = ({ cells }: Row, columns: readonly Span[]): boolean =>
  cells.every((cell) => {
    const met = columns.filter((column) => overlapX(column, cell) > 0).length;
    return met === 1 || (met === 0 && cells.length > 1);
  });

/** Merges overlapping spans; sorted from left to right. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { left, right } of spans.toSorted((a, b) => a.left - b.left)) {
    const last = joined.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else joined.push({ left, right });
  }
  return joined;
}

function tableOf(run: readonly Row[]): PdfTable | undefined {
  const several = run.filter(({ cells }) => cells.length > 1);
  if (
    several.length < MIN.rows ||
    several.length * 2 < run.length ||
    isProse(several) ||
    isList(several) ||
    isContents(several)
  )
    return undefined;
  const columns = columnsOf(several);
  const lines = run.map((row) => ({ ...row, texts: columns.map((column) => textIn(row, column)) }));
  const full = lines.filter(({ texts }) => !texts.includes('')).length;
  if (columns.length < 2 || columns.length * several.length < MIN.cells || full < several.length * FULL_ROWS)
    return undefined;
  return { rows: withoutRepeatedHeader(withWholeCells(lines)) };
}

/** Merges spans that no row uses together: a left-aligned header and right-aligned numbers of one column do not overlap. */
function columnsOf(rows: readonly Row[]): Span[] {
  const columns = joinSpans(rows.flatMap(({ cells }) => cells));
  for (let at = 0; at + 1 < columns.length;) {
    const [a, b] = [columns[at] as Span, columns[at + 1] as Span];
    const both = rows.some(({ cells }) => [a, b].every((span) => cells.some((cell) => overlapX(span, cell) > 0)));
    if (both) at++;
    else columns.splice(at, 2, { left: a.left, right: b.right });
  }
  return columns;
}

const textIn = ({ cells }: Row, column: Span): string =>
  cells
    .filter((cell) => overlapX(column, cell) > 0)
    .map(({ pieces }) => pieces.reduce((text, piece) => joinText(text, piece.text), ''))
    .join(' ');

function isProse(rows: readonly Row[]): boolean {
  const long = ({ pieces }: Cell): boolean => pieces.every(({ text }) => text.length > PROSE_LINE);
  return rows.filter(({ cells }) => cells.length === 2 && cells.every(long)).length * 2 > rows.length;
}

/** Whether the first column consists of bullets or numbers. */
const isList = (rows: readonly Row[]): boolean => rows.every(({ cells }) => isMarker(cells[0]?.pieces[0]?.text ?? ''));

/** Whether the rows are entries of a table of contents with dots to their page numbers. */
const isContents = (rows: readonly Row[]): boolean =>
  rows.filter(({ cells }) => cells.some(({ pieces }) => pieces.some(({ text }) => LEADERS.test(text)))).length * 2 >
  rows.length;

interface Line extends Row {
  texts: string[];
}

/** Merges rows of one cell into the nearer neighbour: lines of a cell are closer than rows. */
function withWholeCells(lines: readonly Line[]): PdfTable['rows'] {
  const rows: PdfTable['rows'] = [];
  let ahead: string[][] = [];
  lines.forEach((line, index) => {
    const [above, below, last] = [lines[index - 1], lines[index + 1], rows.at(-1)];
    if (line.cells.length > 1) {
      rows.push({ cells: ahead.reduceRight((texts, over) => stack(over, texts), line.texts), page: line.page });
      ahead = [];
    } else if (last && ahead.length === 0 && isNearer(line, above, below)) last.cells = stack(last.cells, line.texts);
    else ahead.push(line.texts);
  });
  return rows;
}

const isNearer = (line: Line, above?: Line, below?: Line): boolean =>
  stepBetween(above, line) <= stepBetween(line, below);

const stepBetween = (above?: Line, below?: Line): number =>
  above && below && above.page === below.page ? below.top - above.bottom : Infinity;

const stack = (above: string[], below: string[]): string[] =>
  above.map((cell, column) => joinText(cell, below[column] ?? ''));

/** Tables repeat their header on the next page. */
function withoutRepeatedHeader(rows: PdfTable['rows']): PdfTable['rows'] {
  const header = rows[0]?.cells.join('\n');
  return rows.filter(({ cells }, index) => index === 0 || cells.join('\n') !== header);
}

/** Lines below each other that form a cell; a line outside a table is a single cell. */
interface Cell extends Span {
  pieces: Piece[];
}

/** Cells beside each other. Most lines of a text form a row with one cell. */
interface Row {
  cells: Cell[];
  page: number;
  size: number;
  /** Baselines of its first and last line. */
  top: number;
  bottom: number;
}

/** In ems, between lines of one cell; rows of a table are further apart. */
const LINE_STEP = 1.3;
/** More lines per cell are columns of text, not a table row. */
const MAX_LINES = 8;

/**
 * Groups pieces in reading order into rows. Some programs write a table line by line, others cell by cell with all lines: a piece
 * continues the cell above it, begins the next cell of its row, or begins the next row.
 */
function rowsOf(pieces: readonly Piece[]): Row[] {
  const rows: Row[] = [];
  for (const piece of pieces) {
    const row = rows.at(-1);
    if (row && isBeside(row, piece)) extend(row, piece, 'cell');
    else if (row && isNextLine(row, piece)) extend(row, piece, 'line');
    else rows.push(rowOf(piece));
  }
  return rows;
}

function rowOf(piece: Piece): Row {
  const { left, right, page, size, baseline } = piece;
  return { cells: [{ left, right, pieces: [piece] }], page, size, top: baseline, bottom: baseline };
}

function isBeside(row: Row, piece: Piece): boolean {
  const last = row.cells.at(-1);
  if (!last || piece.page !== row.page || piece.left < last.right) return false;
  const slack = 0.7 * row.size;
  return piece.baseline >= row.top - slack && piece.baseline <= row.bottom + slack;
}

function isNextLine(row: Row, piece: Piece): boolean {
  const last = row.cells.at(-1);
  const above = last?.pieces.at(-1);
  if (!last || !above || piece.page !== row.page || above.size !== piece.size) return false;
  const step = piece.baseline - above.baseline;
  return step > 0 && step <= LINE_STEP * piece.size && last.pieces.length < MAX_LINES && overlapX(last, piece) > 0;
}

function extend(row: Row, piece: Piece, as: 'cell' | 'line'): void {
  const cell = as === 'line' ? row.cells.at(-1) : undefined;
  if (!cell) row.cells.push({ left: piece.left, right: piece.right, pieces: [piece] });
  else {
    cell.pieces.push(piece);
    cell.left = Math.min(cell.left, piece.left);
    cell.right = Math.max(cell.right, piece.right);
  }
  row.top = Math.min(row.top, piece.baseline);
  row.bottom = Math.max(row.bottom, piece.baseline);
}
