import type { PageGlyph } from './pdf-doubles.js';

const VERTICAL_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001\u3002]/u;
/** Fewer letters below each other are a stamp or the axis of a chart. */
const FEWEST = 10;
/** In ems: distances to the next glyph of a column, and of the digits that stand upright in one cell of it. */
const STEP = 2.5;
const SAME_COLUMN = 0.6;
const SAME_ROW = 0.25;
const ONE_CELL = 1.4;
/** Direction of a line from top to bottom, see Glyph.turn. */
const DOWN = 3;

const centre = ({ box }: PageGlyph): number => (box.left + box.right) / 2;

/** The baseline is that of the text object, which may be a whole column. */
const middle = ({ box }: PageGlyph): number => (box.top + box.bottom) / 2;

const isBelow = (a: PageGlyph, b: PageGlyph): boolean => {
  const step = middle(a) - middle(b);
  return Math.abs(centre(a) - centre(b)) < SAME_COLUMN * b.size && step > 0 && step < STEP * b.size;
};

const isBeside = (a: PageGlyph, b: PageGlyph): boolean => {
  const step = Math.abs(centre(b) - centre(a));
  return Math.abs(middle(a) - middle(b)) < SAME_ROW * b.size && step > 0.3 * b.size && step < STEP * b.size;
};

/** Whether the page is written in columns from top to bottom (Japanese, Chinese). */
export function isVertical(glyphs: readonly PageGlyph[]): boolean {
  const letters = glyphs.filter(
    ({ code, mark, turn }) => !mark && turn === 0 && VERTICAL_SCRIPT.test(String.fromCodePoint(code)),
  );
  let below = 0;
  let beside = 0;
  letters.forEach((glyph, index) => {
    const last = letters[index - 1];
    if (last && isBelow(last, glyph)) below++;
    else if (last && isBeside(last, glyph)) beside++;
  });
  return below >= FEWEST && below > beside;
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
  const { box, turn, size } = glyph;
  if (turn !== 0 && turn !== DOWN) return glyph;
  const baseline = width - centre(glyph) + size / 2;
  return { ...glyph, left: height - box.top, right: height - box.bottom, baseline, turn: DOWN };
}
