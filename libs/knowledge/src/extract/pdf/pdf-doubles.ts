import type { Break, Glyph, Piece } from './pdf-piece.js';

/** A glyph of a page whose glyphs are read together, because their order depends on their places. */
export interface PageGlyph extends Glyph {
  /** PDFium's handle of its text object. */
  object: number;
  /** Origin on the baseline, in PDF coordinates: letters of one ligature share it. */
  origin: number;
  /** Box in PDF coordinates (y up); separators derived by PDFium have none. */
  boxLeft: number;
  boxRight: number;
  boxTop: number;
  boxBottom: number;
  /** Its place in the order of PDFium. */
  order: number;
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
/** Fewer may be letters of ligatures. */
const MIN_DOUBLES = 4;

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
export function withoutDoubles(glyphs: PageGlyph[]): PageGlyph[] {
  if (!mayHaveDoubles(glyphs)) return glyphs;
  const texts = new Map<number, PageGlyph[]>();
  for (const glyph of glyphs) if (!glyph.mark) listed(texts, glyph.object).push(glyph);
  const kept = new Map<number, PageGlyph[]>();
  const copies = new Set<PageGlyph>();
  for (const text of texts.values()) {
    const isCopy = text.every((glyph) => isNear(kept, glyph, text.length < FEW));
    text.forEach((glyph, index) => {
      const last = text[index - 1];
      if (isCopy || (last && isStruckAgain(last, glyph))) copies.add(glyph);
      else listed(kept, cellOf(glyph, 0, 0)).push(glyph);
    });
  }
  return copies.size === 0 ? glyphs : glyphs.filter((glyph) => !copies.has(glyph));
}

/** Whether some glyphs are drawn twice in the same cell of the page: of a text drawn twice, most are. */
function mayHaveDoubles(glyphs: readonly PageGlyph[]): boolean {
  const cells = new Set<number>();
  let drawn = 0;
  for (const glyph of glyphs) {
    // Two narrow letters beside each other fit in one cell.
    if (glyph.mark || glyph.right - glyph.left < CELL) continue;
    cells.add(cellOf(glyph, 0, 0));
    drawn++;
  }
  return drawn - cells.size >= MIN_DOUBLES;
}

function listed<K>(lists: Map<K, PageGlyph[]>, key: K): PageGlyph[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  return list;
}

/** The same letters of a word are further apart. */
const CELL = 3;
const PRIME = 8_191;

function cellOf({ code, left, baseline }: Glyph, right: number, down: number): number {
  const x = Math.floor(left / CELL) + right;
  const y = Math.floor(baseline / CELL) + down;
  // A small integer: sets of larger numbers are several times slower.
  return ((Math.imul(code, 0x9e3779b1) + Math.imul(y, PRIME) + x) | 0) >> 1;
}

function isNear(kept: Map<number, PageGlyph[]>, glyph: PageGlyph, isOfFew: boolean): boolean {
  const reach = Math.ceil((OFFSET * glyph.size) / CELL);
  for (let right = -reach; right <= reach; right++) {
    for (let down = -reach; down <= reach; down++) {
      const others = kept.get(cellOf(glyph, right, down));
      if (others?.some((other) => isCopyOf(other, glyph, isOfFew))) return true;
    }
  }
  return false;
}

function isCopyOf(first: PageGlyph, second: PageGlyph, isOfFew: boolean): boolean {
  const { size } = second;
  const most = isOfFew ? Math.min(OFFSET * size, OFFSET_OF_FEW * (second.right - second.left)) : OFFSET * size;
  return (
    first.code === second.code &&
    first.turn === second.turn &&
    Math.abs(first.size - size) <= 0.1 * size &&
    Math.abs(first.left - second.left) <= most &&
    Math.abs(first.baseline - second.baseline) <= OFFSET * size
  );
}

/** Within one text; two letters of a ligature share their origin. */
const isStruckAgain = (last: PageGlyph, glyph: PageGlyph): boolean =>
  last.origin !== glyph.origin && isCopyOf(last, glyph, true);
