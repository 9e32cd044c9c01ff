import type { Piece } from './pdf-piece.js';

/** Of the text; more than that is not a header but what the document is about. */
const MOST_TO_STRIP = 0.3;
/** On two pages only what is the same to the letter. */
const FEWEST_PAGES = { same: 2, numbered: 3 };
/** Of the pages: a header of one chapter counts, and one with its number on left pages only. */
const LEAST_SHARE = { same: 0.2, numbered: 0.4 };
/** Of the usual size: what is larger is a title, and titles begin pages too. */
const LARGEST = 1.2;
/** Rows at the top and at the bottom that may be headers and footers. */
const ROWS = 3;
/** In points: where the same header stands on another page. */
const SAME_HEIGHT = 4;

/** Pages without the headers, footers and page numbers that repeat from page to page at the same height. */
export function withoutRunningLines(pages: readonly Piece[][]): Piece[][] {
  const candidates = pages.map((pieces) => new Map(outerPieces(pieces).map((piece) => [piece, keyOf(piece)])));
  const counts = new Map<string, number>();
  for (const keys of candidates) for (const key of new Set(keys.values())) counts.set(key, (counts.get(key) ?? 0) + 1);
  const written = pages.filter(({ length }) => length > 0).length;
  const repeated = (page: number, piece: Piece): boolean => {
    const key = candidates[page]?.get(piece) ?? '';
    const kind = key.includes('#') ? 'numbered' : 'same';
    return (counts.get(key) ?? 0) >= Math.max(FEWEST_PAGES[kind], written * LEAST_SHARE[kind]);
  };
  const stripped = pages.map((pieces, page) => pieces.filter((piece) => !repeated(page, piece)));
  return lengthOf(stripped) >= lengthOf(pages) * (1 - MOST_TO_STRIP) ? stripped : [...pages];
}

function outerPieces(pieces: readonly Piece[]): Piece[] {
  const heights = [...new Set(pieces.map(({ baseline }) => Math.round(baseline)))].toSorted((a, b) => a - b);
  const [top, bottom] = [heights[ROWS - 1] ?? Infinity, heights.at(-ROWS) ?? -Infinity];
  const sizes = pieces.map(({ size }) => size).toSorted((a, b) => a - b);
  const largest = LARGEST * (sizes[sizes.length >> 1] ?? 0);
  return pieces.filter(
    ({ baseline, size }) => size <= largest && (Math.round(baseline) <= top || Math.round(baseline) >= bottom),
  );
}

/** Numbers count up from page to page, also Roman ones that stand alone. */
function keyOf({ text, baseline, turn }: Piece): string {
  const shape = text.replace(/\p{N}+/gu, '#').replace(/^[-–—\s]*[ivxlc]+[-–—\s]*$/i, '#');
  return `${turn} ${Math.round(baseline / SAME_HEIGHT)} ${shape}`;
}

const lengthOf = (pages: readonly Piece[][]): number =>
  pages.reduce((sum, pieces) => sum + pieces.reduce((length, { text }) => length + text.length, 0), 0);
