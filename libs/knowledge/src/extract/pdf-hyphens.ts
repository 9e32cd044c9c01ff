import { endsInHyphen } from './pdf-line-text.js';
import type { Piece } from './pdf-piece.js';

/** Of the lines: a text that is hyphenated at all has more of them end in a hyphen. */
const HYPHENATED = 0.03;

/** A word that a hyphen at the end of a line parts. */
interface PartedWord {
  line: Piece;
  before: string;
  after: string;
}

/**
 * PDFium marks every hyphen at a line's end as one that parts a word. Those of the author ("Anglo-Danes", "COVID-19") become
 * hyphens again: before capitals and digits, where the document writes the word so elsewhere, and, when it has the word in
 * neither form, where its lines are not hyphenated.
 */
export function withOwnHyphens(pages: readonly Piece[][]): Piece[][] {
  const parted = pages.flatMap(partedWords);
  if (parted.length === 0) return [...pages];
  const words = writtenAmong(pages, new Set(parted.flatMap((word) => [joined(word), hyphened(word)])));
  const isHyphenated = parted.length > pages.reduce((sum, { length }) => sum + length, 0) * HYPHENATED;
  const isOwn = (word: PartedWord): boolean => {
    if (/^[\p{Lu}\p{N}]/u.test(word.after)) return true;
    if (words.has(joined(word))) return false;
    return words.has(hyphened(word)) || !isHyphenated;
  };
  const own = new Set(parted.filter(isOwn).map(({ line }) => line));
  const withOwn = (line: Piece): Piece => (own.has(line) ? { ...line, text: `${line.text.slice(0, -1)}-` } : line);
  return pages.map((page) => page.map(withOwn));
}

function partedWords(page: readonly Piece[]): PartedWord[] {
  return page.flatMap((line, index) => {
    if (!endsInHyphen(line.text)) return [];
    const before = /[\p{L}\p{N}]*$/u.exec(line.text.slice(0, -1))?.[0] ?? '';
    const after = /^[\p{L}\p{N}]+/u.exec(page[index + 1]?.text ?? '')?.[0] ?? '';
    return [{ line, before, after }];
  });
}

const joined = ({ before, after }: PartedWord): string => `${before}${after}`.toLowerCase();

const hyphened = ({ before, after }: PartedWord): string => `${before}-${after}`.toLowerCase();

/** Those of the words that stand somewhere within a line. Not a set of all words, which is as large as the document. */
function writtenAmong(pages: readonly Piece[][], wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const page of pages)
    for (const { text } of page)
      for (const word of text.toLowerCase().match(WORD) ?? []) if (wanted.has(word)) found.add(word);
  return found;
}

const WORD = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
