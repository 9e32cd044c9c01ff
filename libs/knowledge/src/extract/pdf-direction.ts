import type { Piece } from './pdf-piece.js';

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** In ems: spaces are wider. */
const TOUCHING = 0.15;

/**
 * Pages that are read from right to left are seen in a mirror, so that there is one way to find lines, columns and tables.
 * PDFium parts their lines where letters carry marks, and gives the parts in no order: they are put in theirs.
 */
export function fromTheLeft(pages: readonly Piece[][]): Piece[][] {
  return pages.map((pieces) =>
    isRightToLeft(pieces) ? withLinesInOrder(mirrored(pieces).map(withSignsInPlace)) : pieces,
  );
}

function isRightToLeft(pieces: readonly Piece[]): boolean {
  const length = (some: readonly Piece[]): number => some.reduce((sum, { text }) => sum + text.length, 0);
  return length(pieces.filter(({ text }) => RIGHT_TO_LEFT.test(text))) * 2 > length(pieces);
}

function mirrored(pieces: readonly Piece[]): Piece[] {
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

/** Parts that touch each other are parts of a word. */
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

const TURNED_BRACKETS: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[', '«': '»', '»': '«' };

/** Brackets come as they are drawn, and the signs after a number come before it. */
function withSignsInPlace(piece: Piece): Piece {
  const text = piece.text.replace(/(?<=^|[\s–-])([،؛.,:!؟%٪])(\p{N}[\p{N}.,]*)(?=$|[\s()])/gu, '$2$1');
  const isTurned = /^[^([«]*[)\]»]/u.test(text);
  return {
    ...piece,
    text: isTurned ? text.replace(/[()[\]«»]/gu, (bracket) => TURNED_BRACKETS[bracket] ?? bracket) : text,
  };
}
