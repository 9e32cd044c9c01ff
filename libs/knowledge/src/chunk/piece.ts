import type { Block, ParagraphBlock, Table } from '../blocks.js';
import { LIMIT, TARGET, weigh } from './token-estimate.js';
import { hardSplit, isSpace, sentences, type Span } from './hard-split.js';

/** What a chunk is put together from and what no later step parts: a paragraph, a sentence, a row, a heading. */
export interface Piece {
  text: string;
  weight: number;
  /** Where it stands in the extracted text. */
  start: number;
  end: number;
  /** Between the piece before it and this one. */
  glue: '' | ' ' | '\n' | '\n\n';
  page?: number;
  row?: RowPlace;
  /** Of a whole sentence of a paragraph that had to be split: the paragraph. */
  sentenceOf?: ParagraphBlock;
  /** Said before: a table's header, or the sentence that two chunks share. */
  repeated?: boolean;
}

interface RowPlace {
  table: Table;
  number: number;
  /** The line of column names that must stand above it; none where each cell names its column. */
  header?: string;
}

export const pieceOf = (block: Block, text: string, glue: Piece['glue'] = '\n\n'): Piece => ({
  text,
  weight: weigh(text),
  start: block.offset,
  end: block.offset + (block.length ?? text.length),
  glue,
  page: block.page,
});

const LIST_ITEM = /^(?:[-*+•–]|\d{1,3}[.)])\s/;

/** A paragraph as one piece, or as its sentences where it is too long for a chunk. */
export function* paragraphPieces(block: ParagraphBlock): Generator<Piece> {
  const whole = trimmed(block.text, { start: 0, end: block.text.length });
  if (whole.start === whole.end) return;
  const weight = weigh(block.text, whole.start, whole.end);
  if (weight <= LIMIT) yield partOf(block, whole, weight, LIST_ITEM.test(block.text) ? '\n' : '\n\n');
  else yield* sentencePieces(block, whole);
}

function* sentencePieces(block: ParagraphBlock, whole: Span): Generator<Piece> {
  const { text } = block;
  let before = whole.start;
  for (const sentence of sentences(text, whole.start, whole.end)) {
    const weight = weigh(text, sentence.start, sentence.end);
    const isWhole = weight <= TARGET;
    for (const span of isWhole ? [sentence] : hardSplit(text, sentence.start, sentence.end, TARGET)) {
      const part = trimmed(text, span);
      if (part.start === part.end) continue;
      const glue = part.start === whole.start ? '\n\n' : gap(text, before, part.start);
      yield partOf(
        block,
        part,
        isWhole ? weight : weigh(text, part.start, part.end),
        glue,
        isWhole ? block : undefined,
      );
      before = part.end;
    }
  }
}

function partOf(
  block: ParagraphBlock,
  { start, end }: Span,
  weight: number,
  glue: Piece['glue'],
  sentenceOf?: ParagraphBlock,
): Piece {
  const { text, offset, length, page } = block;
  // Positions inside a text that is not the source's own are unknown: such a piece points to its whole paragraph.
  const isSource = length === undefined || length === text.length;
  return {
    text: text.slice(start, end),
    weight,
    start: isSource ? offset + start : offset,
    end: isSource ? offset + end : offset + length,
    glue,
    page,
    sentenceOf,
  };
}

function trimmed(text: string, { start, end }: Span): Span {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return { start: from, end: to };
}

const gap = (text: string, from: number, to: number): Piece['glue'] => {
  if (from === to) return '';
  return text.slice(from, to).includes('\n') ? '\n' : ' ';
};
