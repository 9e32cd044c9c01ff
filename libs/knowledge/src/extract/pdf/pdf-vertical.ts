import type { PageGlyph } from './pdf-doubles.js';
import type { Piece } from './pdf-piece.js';

const VERTICAL_SCRIPT = /[\u3040-\u30ff\u3400-\u9fff]/;
/** Fewer letters below each other are a stamp or the axis of a chart. */
const MIN = 10;
/** In ems: distances to the next glyph of a column, and of the digits that stand upright in one cell of it. */
const STEP = 2.5;
const SAME_COLUMN = 0.6;
const SAME_ROW = 0.25;
const ONE_CELL = 1.4;
/** Direction of a line from top to bottom, see Glyph.turn. */
const DOWN = 3;

const centre = ({ boxLeft, boxRight }: PageGlyph): number => (boxLeft + boxRight) / 2;

/** The baseline is that of the text object, which may be a whole column. */
const middle = ({ boxTop, boxBottom }: PageGlyph): number => (boxTop + boxBottom) / 2;

const isBelow = (a: PageGlyph, b: PageGlyph): boolean => {
  const step = middle(a) - middle(b);
  return Math.abs(centre(a) - centre(b)) < SAME_COLUMN * b.size && step > 0 && step < STEP * b.size;
};

const isBeside = (a: PageGlyph, b: PageGlyph): boolean => {
  const step = Math.abs(centre(b) - centre(a));
  return Math.abs(middle(a) - middle(b)) < SAME_ROW * b.size && step > 0.3 * b.size && step < STEP * b.size;
};

/** Chinese and Japanese letters. */
const isVerticalScript = (code: number): boolean =>
  (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || code === 0x3001 || code === 0x3002;

/** Whether lines of the page are so short, or so narrow for their text, that it may be written in columns. */
export function mayBeVertical(pieces: readonly Piece[]): boolean {
  let letters = 0;
  let narrow = 0;
  for (const { text, left, right, size, turn } of pieces) {
    if (turn !== 0 || !VERTICAL_SCRIPT.test(text)) continue;
    letters += text.length;
    if (right - left < 0.4 * size * text.length || text.length === 1) narrow += text.length;
  }
  return narrow >= MIN && narrow * 3 > letters;
}

/** Whether the page is written in columns from top to bottom (Japanese, Chinese). */
export function isVertical(glyphs: readonly PageGlyph[]): boolean {
  const letters = glyphs.filter(({ code, mark, turn }) => !mark && turn === 0 && isVerticalScript(code));
  let below = 0;
  let beside = 0;
  letters.forEach((glyph, index) => {
    const last = letters[index - 1];
    if (last && isBelow(last, glyph)) below++;
    else if (last && isBeside(last, glyph)) beside++;
  });
  return below >= MIN && below > beside;
}

/**
 * Turns the columns of a vertical page by a quarter, so that they are lines from top to bottom of a page that is read like any
 * other. PDFium sorts such glyphs as if they were lines from left to right: `rank` is the place of a text object in the content.
 * Page numbers and headers from left to right stay as they are.
 */
export function inColumns(
  glyphs: readonly PageGlyph[],
  page: { width: number; height: number },
  rank: (object: number) => number,
): PageGlyph[] {
  const drawn = glyphs.filter(({ mark }) => mark === undefined || mark === 'space');
  const sorted = drawn
    .map((glyph, index) => ({ glyph, index, rank: rank(glyph.object) }))
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ glyph }) => glyph);
  return rowsOf(sorted).flatMap((row) => (isAcross(row) ? row : row.map((glyph) => turned(glyph, page))));
}

/** Consecutive glyphs beside each other; most rows of a column are one glyph. */
function rowsOf(glyphs: readonly PageGlyph[]): PageGlyph[][] {
  const rows: PageGlyph[][] = [];
  for (const glyph of glyphs) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row && last && last.turn === 0 && glyph.turn === 0 && isBeside(last, glyph)) row.push(glyph);
    else rows.push([glyph]);
  }
  return rows;
}

function isAcross(row: readonly PageGlyph[]): boolean {
  const [first, last] = [row[0]!, row.at(-1)!];
  return (
    first.turn === 0 &&
    row.length > 1 &&
    Math.abs(centre(last) - centre(first)) + first.size > ONE_CELL * first.size * 1.2
  );
}

function turned(glyph: PageGlyph, { width, height }: { width: number; height: number }): PageGlyph {
  const { turn, size } = glyph;
  if (turn !== 0 && turn !== DOWN) return glyph;
  const baseline = width - centre(glyph) + size / 2;
  return { ...glyph, left: height - glyph.boxTop, right: height - glyph.boxBottom, baseline, turn: DOWN };
}
