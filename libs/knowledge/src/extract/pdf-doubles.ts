import type { Break, Glyph, Piece } from './pdf-piece.js';

/** A glyph of a page whose glyphs are read together, because their order depends on their places. */
export interface PageGlyph extends Glyph {
  /** PDFium's handle of its text object. */
  object: number;
  /** Origin on the baseline, in PDF coordinates: letters of one ligature share it. */
  origin: number;
  /** Box in PDF coordinates (y up); spaces derived by PDFium have none. */
  box: { left: number; right: number; top: number; bottom: number };
  /** Set for separators. */
  mark?: Break;
}

/** In ems: a shadow or a fake bold is drawn this far beside the letters at most. */
const OFFSET = 0.25;
/** Share of a glyph's width, for texts of one or two glyphs: the two letters of "ll" are one width apart. */
const OFFSET_OF_FEW = 0.4;
const FEW = 3;
/** Share of the narrower line: lines that overlap more are drawn over each other. */
const OVERLAP = 0.3;
const CELL = 8;

/** Whether lines are drawn over each other, such as the shadow of a title. */
export function hasOverlaps(pieces: readonly Piece[]): boolean {
  const sorted = pieces.toSorted((a, b) => a.turn - b.turn || a.baseline - b.baseline);
  return sorted.some((piece, index) => {
    for (let next = index + 1; next < sorted.length; next++) {
      const other = sorted[next]!;
      if (other.turn !== piece.turn || other.baseline - piece.baseline > OFFSET * piece.size) return false;
      const width = Math.min(piece.right - piece.left, other.right - other.left);
      if (Math.min(piece.right, other.right) - Math.max(piece.left, other.left) > OVERLAP * width) return true;
    }
    return false;
  });
}

/**
 * Leaves out glyphs that are drawn a second time at nearly the same place: fake bold, shadows, outlines. A text counts as a copy
 * only if each of its glyphs is one; different texts may be printed over each other.
 */
export function withoutDoubles(glyphs: readonly PageGlyph[]): PageGlyph[] {
  const texts = new Map<number, PageGlyph[]>();
  for (const glyph of glyphs) if (!glyph.mark) listed(texts, glyph.object).push(glyph);
  const kept = new Map<number, PageGlyph[]>();
  const copies = new Set<PageGlyph>();
  for (const text of texts.values()) {
    const isCopy = text.every((glyph) => near(kept, glyph, text.length < FEW).length > 0);
    text.forEach((glyph, index) => {
      const last = text[index - 1];
      if (isCopy || (last && isStruckAgain(last, glyph))) copies.add(glyph);
      else listed(kept, cellOf(glyph.code, column(glyph), row(glyph))).push(glyph);
    });
  }
  return copies.size === 0 ? [...glyphs] : glyphs.filter((glyph) => !copies.has(glyph));
}

function listed<K>(lists: Map<K, PageGlyph[]>, key: K): PageGlyph[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

const column = ({ left }: Glyph): number => Math.floor(left / CELL) + 512;
const row = ({ baseline }: Glyph): number => Math.floor(baseline / CELL) + 512;
const cellOf = (code: number, x: number, y: number): number => (code * 8_192 + y) * 8_192 + x;

function near(kept: Map<number, PageGlyph[]>, glyph: PageGlyph, isOfFew: boolean): PageGlyph[] {
  const steps = [-1, 0, 1];
  const cells = steps.flatMap((x) => steps.map((y) => cellOf(glyph.code, column(glyph) + x, row(glyph) + y)));
  return cells.flatMap((cell) => (kept.get(cell) ?? []).filter((other) => isCopyOf(other, glyph, isOfFew)));
}

function isCopyOf(first: PageGlyph, second: PageGlyph, isOfFew: boolean): boolean {
  const { size } = second;
  const most = isOfFew ? Math.min(OFFSET * size, OFFSET_OF_FEW * (second.right - second.left)) : OFFSET * size;
  return (
    first.turn === second.turn &&
    Math.abs(first.size - size) <= 0.1 * size &&
    Math.abs(first.left - second.left) <= most &&
    Math.abs(first.baseline - second.baseline) <= OFFSET * size
  );
}

/** Within one text; two letters of a ligature share their origin. */
const isStruckAgain = (last: PageGlyph, glyph: PageGlyph): boolean =>
  last.code === glyph.code && last.origin !== glyph.origin && isCopyOf(last, glyph, true);
