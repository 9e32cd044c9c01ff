import { endsInHyphen } from './pdf-line-text.js';
import type { Piece } from './pdf-piece.js';

/** Of the lines: a text that is hyphenated at all has more of them end in a hyphen. */
const HYPHENATED = 0.03;

/**
 * PDFium marks every hyphen at a line's end as one that parts a word. Those of the author ("Anglo-Danes", "COVID-19") become
 * hyphens again: before capitals and digits, where the document writes the word so elsewhere, and, when it has the word in
 * neither form, where its lines are not hyphenated.
 */
export function withOwnHyphens(pages: readonly Piece[][]): Piece[][] {
  const lines = pages.flat();
  const parted = lines.filter(({ text }) => endsInHyphen(text)).length;
  if (parted === 0) return [...pages];
  const words = new Set(lines.flatMap(({ text }) => text.toLowerCase().match(WORD) ?? []));
  const isHyphenated = parted > lines.length * HYPHENATED;
  const isOwn = (before: string, after: string): boolean => {
    if (/^[\p{Lu}\p{N}]/u.test(after)) return true;
    if (words.has(`${before}${after}`.toLowerCase())) return false;
    return words.has(`${before}-${after}`.toLowerCase()) || !isHyphenated;
  };
  return pages.map((page) =>
    page.map((piece, index) => {
      if (!endsInHyphen(piece.text)) return piece;
      const text = piece.text.slice(0, -1);
      const after = /^[\p{L}\p{N}]+/u.exec(page[index + 1]?.text ?? '')?.[0] ?? '';
      return isOwn(/[\p{L}\p{N}]*$/u.exec(text)?.[0] ?? '', after) ? { ...piece, text: `${text}-` } : piece;
    }),
  );
}

const WORD = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
