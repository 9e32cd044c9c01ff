import type { Piece } from './pdf-piece.js';

/** Share of the text; repeated lines beyond it are content, not headers. */
const MAX_TO_STRIP = 0.3;
/** Minimum number of pages; on two pages only identical lines and page numbers count. */
const MIN_PAGES = { same: 2, numbered: 3, pageNumber: 2, large: 3 };
/** Minimum share of the pages: covers headers of one chapter, and numbered ones on left pages only. */
const MIN_SHARE = { same: 0.2, numbered: 0.4, pageNumber: 0.2, large: 0.5 };
/** Relative to the usual size: larger lines are titles, which may also begin pages. */
const MAX_SCALE = 1.2;
/** Number of rows at the top and at the bottom that may be headers and footers. */
const ROWS = 3;
/** In points: tolerance for the position of a header on other pages. */
const SAME_HEIGHT = 4;
/** A place with a line on this share of the pages, most of which repeat, is that of a header: its name changes by chapter. */
const HEADER_PLACE = { pages: 4, share: 0.5, repeated: 0.6, length: 100 };

interface Candidate {
  piece: Piece;
  page: number;
  /** Its direction and height. */
  place: string;
  /** Its text with `#` for numbers. */
  shape: string;
  isLarge: boolean;
}

/** Removes headers, footers and page numbers that repeat at the same height on several pages. */
export function withoutRunningLines(pages: readonly Piece[][]): Piece[][] {
  const candidates = pages.flatMap((pieces, page) => outerPieces(pieces).map((piece) => candidateOf(piece, page)));
  const written = pages.filter(({ length }) => length > 0).length;
  const running = new Set([...repeatedLines(candidates, written), ...chapterLines(candidates, written)]);
  const stripped = pages.map((pieces) => pieces.filter((piece) => !running.has(piece)));
  return pagesLength(stripped) >= pagesLength(pages) * (1 - MAX_TO_STRIP) ? stripped : [...pages];
}

const pagesLength = (pages: readonly Piece[][]): number =>
  pages.reduce((sum, pieces) => sum + pieces.reduce((length, { text }) => length + text.length, 0), 0);

function outerPieces(pieces: readonly Piece[]): { piece: Piece; isLarge: boolean }[] {
  const heights = [...new Set(pieces.map(({ baseline }) => Math.round(baseline)))].toSorted((a, b) => a - b);
  const [top, bottom] = [heights[ROWS - 1] ?? Infinity, heights.at(-ROWS) ?? -Infinity];
  const largest = MAX_SCALE * sizeOf(pieces);
  return pieces
    .filter(({ baseline }) => Math.round(baseline) <= top || Math.round(baseline) >= bottom)
    .map((piece) => ({ piece, isLarge: piece.size > largest }));
}

const sizeOf = (pieces: readonly Piece[]): number =>
  pieces.map(({ size }) => size).toSorted((a, b) => a - b)[pieces.length >> 1] ?? 0;

/** Numbers are replaced, because they count up from page to page; Roman ones only if they stand alone. */
function candidateOf({ piece, isLarge }: { piece: Piece; isLarge: boolean }, page: number): Candidate {
  const { text, turn, baseline } = piece;
  const shape = text.replace(/\p{N}+/gu, '#').replace(/^[-–—|\s]*[ivxlc]+[-–—|\s]*$/i, '#');
  return { piece, page, place: `${turn} ${Math.round(baseline / SAME_HEIGHT)}`, shape, isLarge };
}

function groupedBy(candidates: readonly Candidate[], key: (candidate: Candidate) => string): Candidate[][] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const group = groups.get(key(candidate));
    if (group) group.push(candidate);
    else groups.set(key(candidate), [candidate]);
  }
  return [...groups.values()];
}

const pagesOf = (candidates: readonly Candidate[]): number => new Set(candidates.map(({ page }) => page)).size;

/** Lines with the same text, apart from numbers, at the same height. */
function repeatedLines(candidates: readonly Candidate[], written: number): Piece[] {
  return groupedBy(candidates, ({ place, shape, isLarge }) => `${place} ${isLarge} ${shape}`).flatMap((group) => {
    const kind = kindOf(group);
    if (kind === undefined || pagesOf(group) < Math.max(MIN_PAGES[kind], written * MIN_SHARE[kind])) return [];
    // A large header is the title of the document: its first occurrence stays.
    return group.slice(kind === 'large' ? 1 : 0).map(({ piece }) => piece);
  });
}

function kindOf(group: readonly Candidate[]): keyof typeof MIN_PAGES | undefined {
  const { shape, isLarge } = group[0]!;
  if (isLarge) return shape.includes('#') ? undefined : 'large';
  if (!shape.includes('#')) return 'same';
  return PAGE_NUMBER.test(shape) && countsPages(group) ? 'pageNumber' : 'numbered';
}

/** A number alone or with few words: "Page 3 of 12", "- 3 -", "第 3 页". */
const PAGE_NUMBER =
  /^[^\p{L}\p{N}#]*(?:[\p{L}\p{M}]{1,9}\.?\s?)?#(?:\s?[\p{L}\p{M}/|–-]{1,6}\s?#)?[\p{L}\s]{0,3}[^\p{L}\p{N}#]*$/u;

/** Whether the numbers are those of the pages, from any start. */
function countsPages(group: readonly Candidate[]): boolean {
  const starts = group.map(({ piece, page }) => Number(/\p{Nd}+/u.exec(piece.text.normalize('NFKC'))?.[0]) - page);
  return new Set(starts).size <= Math.max(1, group.length * 0.1);
}

/** Headers whose text is the name of the chapter: each name repeats on some pages, at a place that has a header on most pages. */
function chapterLines(candidates: readonly Candidate[], written: number): Piece[] {
  const small = candidates.filter(({ isLarge, piece }) => !isLarge && piece.text.length <= HEADER_PLACE.length);
  return groupedBy(small, ({ place }) => place).flatMap((group) => {
    if (pagesOf(group) < Math.max(HEADER_PLACE.pages, written * HEADER_PLACE.share)) return [];
    const names = groupedBy(group, ({ shape }) => shape);
    const repeated = names.filter((lines) => pagesOf(lines) > 1 && !/^[\s#]*$/.test(lines[0]!.shape)).flat();
    if (repeated.length < HEADER_PLACE.repeated * group.length) return [];
    const size = sizeOf(repeated.map(({ piece }) => piece));
    const isAlike = ({ piece }: Candidate): boolean => Math.abs(piece.size - size) <= 0.05 * size;
    return group.filter(isAlike).map(({ piece }) => piece);
  });
}
