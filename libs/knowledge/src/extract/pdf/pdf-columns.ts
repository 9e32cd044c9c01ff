import { isSameRow, overlapX, type Span } from './pdf-order.js';
import type { Piece } from './pdf-piece.js';

/** Fewer lines beside each other may be anything. */
const MIN_ROWS = 4;
/** In ems, between the rows of a band. */
const STEP = 2.2;
/** Averages of a line of prose: words, or letters of a script without spaces. */
const MIN_WORDS = 2.2;
const MIN_LETTERS = 8;
/** Share of lines that fill their column, which cells of a table do not. */
const FULL = { width: 0.7, lines: 0.6 };
/** Share of lines that continue a sentence. */
const CONTINUED = 0.35;
const MAX_DIGITS = 0.2;
/** Share of the text in columns of prose; the rest may be line numbers or marks. */
const PROSE_SHARE = 0.8;

interface Band {
  pieces: Piece[];
  columns: Span[];
  /** Rows with several pieces. */
  rows: number;
}

/**
 * Prose in columns that a program wrote line by line across them, column by column. Cells of a table stay in rows: they are short
 * and do not continue in the next row.
 */
export function withColumnsApart(pieces: readonly Piece[]): Piece[] {
  const rows = rowsOf(pieces);
  const ordered: Piece[] = [];
  for (let at = 0; at < rows.length;) {
    const { band, end } = bandAt(rows, at);
    ordered.push(...(isProse(band) ? columnsOf(band).flat() : band.pieces));
    at = end;
  }
  return ordered;
}

function rowsOf(pieces: readonly Piece[]): Piece[][] {
  const rows: Piece[][] = [];
  for (const piece of pieces) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row && last && isSameRow(last, piece)) row.push(piece);
    else rows.push([piece]);
  }
  return rows;
}

function bandAt(rows: readonly Piece[][], at: number): { band: Band; end: number } {
  const first = rows[at]!;
  const band: Band = { pieces: [...first], columns: join(first), rows: 1 };
  let end = at + 1;
  if (first.length > 1) {
    for (; end < rows.length; end++) {
      const row = rows[end]!;
      const [above, piece] = [rows[end - 1]![0]!, row[0]!];
      const step = piece.baseline - above.baseline;
      if (step <= 0 || step > STEP * piece.size || Math.abs(piece.size - above.size) > 0.1 * piece.size) break;
      if (!row.every((one) => band.columns.filter((column) => overlapX(column, one) > 0).length === 1)) break;
      band.columns = join([...band.columns, ...row]);
      band.pieces.push(...row);
      if (row.length > 1) band.rows++;
    }
  }
  return { band, end };
}

function join(spans: readonly Span[]): Span[] {
  const columns: Span[] = [];
  for (const { left, right } of spans.toSorted((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

const columnsOf = ({ pieces, columns }: Band): Piece[][] =>
  columns.map((column) => pieces.filter((piece) => overlapX(column, piece) > 0));

function isProse(band: Band): boolean {
  if (band.rows < MIN_ROWS || band.columns.length < 2) return false;
  const columns = columnsOf(band);
  const prose = columns.filter((lines, index) => isColumnOfProse(lines, band.columns[index]!));
  const pairs = prose.reduce((sum, { length }) => sum + length - 1, 0);
  const continued = prose.flatMap((lines) => lines.slice(1)).filter(({ text }) => CONTINUES.test(text)).length;
  return (
    prose.length > 1 &&
    lengthOf(prose.flat()) >= PROSE_SHARE * lengthOf(band.pieces) &&
    (continued >= CONTINUED * pairs || !isCased(prose.flat()))
  );
}

const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

function isColumnOfProse(lines: readonly Piece[], { left, right }: Span): boolean {
  const text = lines.map((line) => line.text).join(' ');
  const full = lines.filter((line) => line.right - line.left >= FULL.width * (right - left)).length;
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  if (lines.length < MIN_ROWS || full < FULL.lines * lines.length || digits > MAX_DIGITS * text.length) return false;
  const words = text.split(/\s+/).length / lines.length;
  const letters = (text.match(/\p{L}|\p{M}/gu)?.length ?? 0) / lines.length;
  return isCased(lines) ? words >= MIN_WORDS : letters >= MIN_LETTERS && !endsAlways(lines);
}

const CONTINUES = /^[\p{Ll}(“"]/u;

const isCased = (lines: readonly Piece[]): boolean => lines.some(({ text }) => /\p{Ll}/u.test(text));

/** Whether most lines are sentences: short answers in a table of a script without capitals. */
const endsAlways = (lines: readonly Piece[]): boolean =>
  lines.filter(({ text }) => /[.。！？!?।؟]$/u.test(text)).length * 2 > lines.length;
