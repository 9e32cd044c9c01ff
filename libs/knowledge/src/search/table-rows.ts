import { type Segment, tableAt, tokensAt } from './agent-index.js';
import type { RankedChunk } from './ranking.js';

/** About the size of a chunk of text. */
const PASSAGE_TOKENS = 300;

/** A result of a search: a chunk, or a row of a table with its neighbours. */
export interface RankedPassage extends RankedChunk {
  /** The chunks of the segment from `first` to `last`, the ranked one among them. */
  first: number;
  last: number;
}

/**
 * The passages of ranked chunks, best first, `limit` at most. A row is shown with its neighbours in the table, on both sides, up to
 * about 300 tokens: `Sat | 10-14` alone does not say that Sunday is closed. Rows that fit into one passage share it.
 */
export function withNeighbours(ranked: Iterable<RankedChunk>, limit: number): RankedPassage[] {
  const passages: RankedPassage[] = [];
  for (const place of ranked) {
    if (passages.some((passage) => joins(passage, place))) continue;
    if (passages.length === limit) break;
    passages.push({ ...place, first: place.chunk, last: place.chunk });
  }
  for (const passage of passages) addNeighbours(passage, passages);
  return passages;
}

/** Extends the passage to the row, if both belong to one table and the rows between them fit. */
function joins(passage: RankedPassage, { segment, chunk }: RankedChunk): boolean {
  if (passage.segment !== segment) return false;
  const first = Math.min(passage.first, chunk);
  const last = Math.max(passage.last, chunk);
  if (!isOneTable(segment, first, last) || tokensOf(segment, first, last) > PASSAGE_TOKENS) return false;
  Object.assign(passage, { first, last });
  return true;
}

function addNeighbours(passage: RankedPassage, all: readonly RankedPassage[]): void {
  const { segment } = passage;
  if (tableAt(segment, passage.chunk) === 0) return;
  let left = PASSAGE_TOKENS - tokensOf(segment, passage.first, passage.last);
  const add = (chunk: number, side: 'first' | 'last'): boolean => {
    if (!isOneTable(segment, Math.min(chunk, passage.chunk), Math.max(chunk, passage.chunk))) return false;
    if (tokensAt(segment, chunk) > left || all.some((one) => one.segment === segment && isIn(one, chunk))) return false;
    left -= tokensAt(segment, chunk);
    passage[side] = chunk;
    return true;
  };
  for (let [before, after] = [true, true]; before || after;) {
    before &&= add(passage.first - 1, 'first');
    after &&= add(passage.last + 1, 'last');
  }
}

const isIn = ({ first, last }: RankedPassage, chunk: number): boolean => chunk >= first && chunk <= last;

function tokensOf(segment: Segment, first: number, last: number): number {
  let tokens = 0;
  for (let chunk = first; chunk <= last && tokens <= PASSAGE_TOKENS; chunk += 1) tokens += tokensAt(segment, chunk);
  return tokens;
}

/** Tables are numbered in reading order, so that the chunks between two of one table belong to it. */
function isOneTable(segment: Segment, first: number, last: number): boolean {
  const table = tableAt(segment, first);
  return table !== 0 && first >= 0 && table === tableAt(segment, last);
}

interface RowText {
  text: string;
  /** Length of the header line at the start of the text; null: there is none. */
  header_length: number | null;
}

/** The text of consecutive chunks of a table: the header line once, then row by row. */
export function textOfRows(chunks: readonly RowText[]): string {
  let header: string | undefined;
  const pieces = chunks.map(({ text, header_length: length }, at) => {
    const before = header;
    header = length === null ? undefined : text.slice(0, length);
    if (at === 0) return text;
    return header !== undefined && header === before ? `\n${text.slice(length ?? 0)}` : `\n\n${text}`;
  });
  return pieces.join('');
}
