import type { Piece } from './pdf-piece.js';

/** Horizontal extent on a page. */
export type Span = Pick<Piece, 'left' | 'right'>;

/** The content order is nearly always correct; up to this many steps back are headers and captions. */
const STEPS_BACK = { count: 3, share: 0.08 };
/** In ems: minimum gap between columns, and between blocks one above the other. */
const GUTTER = 1;
const BAND = 0.4;
/** A newspaper page has 2,000 lines, and each cut may separate only one. */
const MAX_TO_CUT = 5_000;

/**
 * The pieces of a page in reading order. The order of the file is correct if a program wrote it paragraph by paragraph; if it was
 * written line by line across columns, or without order, the positions on the page decide.
 */
export function inReadingOrder(pieces: readonly Piece[]): Piece[] {
  return turns(pieces).flatMap((upright) => (isInOrder(upright) ? upright : cut(upright)));
}

/** Pieces rotated differently from most of the page (a stamp at its side) come after the rest. */
function turns(pieces: readonly Piece[]): Piece[][] {
  const groups = [0, 1, 2, 3].map((turn) => pieces.filter((piece) => piece.turn === turn));
  return groups.filter(({ length }) => length > 0).toSorted((a, b) => b.length - a.length);
}

function isInOrder(pieces: readonly Piece[]): boolean {
  const back = pieces.filter((piece, index) => isStepBack(pieces[index - 1], piece)).length;
  return back <= Math.max(STEPS_BACK.count, pieces.length * STEPS_BACK.share) && !crossesColumns(pieces);
}

/** Moves up within the same column. */
const isStepBack = (last: Piece | undefined, next: Piece): boolean =>
  last !== undefined && next.baseline < last.baseline - next.size && overlapX(last, next) > 0;

/** Whether several lines of prose continue to the right of a gutter: two columns written as one. */
function crossesColumns(pieces: readonly Piece[]): boolean {
  const LINES = 5;
  let lines = 0;
  let gutter = { left: -Infinity, right: Infinity };
  for (const [index, right] of pieces.entries()) {
    const left = pieces[index - 1];
    if (!left || !isSameRow(left, right) || !isProse(left) || !isProse(right)) continue;
    const narrowed = { left: Math.max(gutter.left, left.right), right: Math.min(gutter.right, right.left) };
    const fits = narrowed.left < narrowed.right;
    gutter = fits ? narrowed : { left: left.right, right: right.left };
    lines = fits ? lines + 1 : 1;
    if (lines >= LINES) return true;
  }
  return false;
}

/** Whether `b` is on the same row as `a`, to the right. */
export const isSameRow = (a: Piece, b: Piece): boolean =>
  a.page === b.page &&
  a.turn === b.turn &&
  Math.abs(a.baseline - b.baseline) <= 0.7 * Math.max(a.size, b.size) &&
  b.left >= a.right;

/** A line of text rather than the cell of a table. */
const isProse = ({ text }: Piece): boolean =>
  /\p{Script=Han}|\p{Script=Hiragana}/u.test(text) ? text.length >= 12 : text.length >= 25;

export const overlapX = (a: Span, b: Span): number => Math.min(a.right, b.right) - Math.max(a.left, b.left);

/** Recursive cuts along the widest gaps: into columns if they are prose, else into bands from top to bottom. */
function cut(pieces: Piece[]): Piece[] {
  if (pieces.length < 2 || pieces.length > MAX_TO_CUT) return byRows(pieces);
  const em = median(pieces.map(({ size }) => size));
  const columns = split(
    pieces,
    ({ left }) => left,
    ({ right }) => right,
    em * GUTTER,
  );
  if (columns && columns.every(isColumn)) return columns.flatMap(cut);
  const bands = split(
    pieces,
    ({ baseline, size }) => baseline - size,
    ({ baseline }) => baseline,
    em * BAND,
  );
  return bands ? bands.flatMap(cut) : byRows(pieces);
}

const isColumn = (pieces: Piece[]): boolean => pieces.length >= 3 && pieces.filter(isProse).length * 2 >= pieces.length;

/** Splits pieces in two at the widest gap of their projection; undefined if no gap is wide enough. */
function split(
  pieces: Piece[],
  start: (piece: Piece) => number,
  end: (piece: Piece) => number,
  least: number,
): [Piece[], Piece[]] | undefined {
  const sorted = pieces.toSorted((a, b) => start(a) - start(b));
  let widest = least;
  let place: number | undefined;
  let reach = -Infinity;
  for (const piece of sorted) {
    if (start(piece) - reach > widest && reach > -Infinity) [widest, place] = [start(piece) - reach, start(piece)];
    reach = Math.max(reach, end(piece));
  }
  if (place === undefined) return undefined;
  const at = place;
  return [pieces.filter((piece) => start(piece) < at), pieces.filter((piece) => start(piece) >= at)];
}

function byRows(pieces: Piece[]): Piece[] {
  const rows: Piece[][] = [];
  for (const piece of pieces.toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row && first && piece.baseline - first.baseline <= 0.5 * first.size) row.push(piece);
    else rows.push([piece]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.left - b.left));
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** In ems; spaces are wider. */
const TOUCHING = 0.15;

/**
 * Mirrors pages that are read from right to left, so that lines, columns and tables are detected in one way. The parts of
 * a line are sorted and joined.
 */
export function fromTheLeft(pages: readonly Piece[][]): Piece[][] {
  return pages.map((pieces) => (isRightToLeft(pieces) ? withLinesInOrder(mirror(pieces)) : pieces));
}

function isRightToLeft(pieces: readonly Piece[]): boolean {
  const length = (some: readonly Piece[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return length(pieces.filter(({ text }) => RIGHT_TO_LEFT.test(text))) * 2 > length(pieces);
}

function mirror(pieces: readonly Piece[]): Piece[] {
  const width = pieces.reduce((most, { right }) => Math.max(most, right), 0);
  return pieces.map((piece) => ({ ...piece, left: width - piece.right, right: width - piece.left }));
}

function withLinesInOrder(pieces: readonly Piece[]): Piece[] {
  const lines: Piece[][] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line?.[0] && isBeside(line[0], piece)) line.push(piece);
    else lines.push([piece]);
  }
  return lines.flatMap((line) => withWholeWords(line.toSorted((a, b) => a.left - b.left)));
}

/** Joins adjacent parts of a word. */
function withWholeWords(line: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const piece of line) {
    const last = whole.at(-1);
    if (last && piece.left - last.right < TOUCHING * piece.size)
      whole[whole.length - 1] = { ...last, text: last.text + piece.text, right: Math.max(last.right, piece.right) };
    else whole.push(piece);
  }
  return whole;
}

const isBeside = (a: Piece, b: Piece): boolean =>
  a.turn === b.turn && Math.abs(a.baseline - b.baseline) <= 0.3 * Math.max(a.size, b.size);
