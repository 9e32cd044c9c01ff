import { overlapX, type Span } from './pdf-order.js';
import type { Piece } from './pdf-piece.js';

/** Pieces that stand below each other as one, in a table or not. */
export interface Cell extends Span {
  pieces: Piece[];
}

/** Cells beside each other. Most lines of a text are a row of one cell. */
export interface Row {
  cells: Cell[];
  page: number;
  size: number;
  /** Baselines of its first and of its last line. */
  top: number;
  bottom: number;
}

/** In ems, between lines of one cell; rows of a table stand further apart. */
const LINE_STEP = 1.3;
/** Two columns of a page are no row. */
const MOST_LINES = 8;

/**
 * Rows from pieces in reading order. Some programs write a table line by line, others cell by cell with all lines of each: a
 * piece goes on with the cell above it, or begins the next cell of its row, or begins the next row.
 */
export function rowsOf(pieces: readonly Piece[]): Row[] {
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
  return step > 0 && step <= LINE_STEP * piece.size && last.pieces.length < MOST_LINES && overlapX(last, piece) > 0;
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
