import { partOf } from './agent-index.js';
import { type Segment, tableAt, tokensAt } from './segment.js';
import type { RankedChunk } from './ranking.js';

/** About the size of a chunk of text. */
const PASSAGE_TOKENS = 300;

/** A row that scores at least this share of the best row of a passage moves its window. */
const AS_GOOD = 0.5;

/** Consecutive chunks of a segment, both included. */
interface Range {
  first: number;
  last: number;
}

/** A result of a search: a chunk, or a row of a table with its neighbours, which are the chunks from `first` to `last`. */
export interface RankedPassage extends RankedChunk, Range {}

/** A passage under construction: the found rows that it must contain. */
interface Draft extends RankedChunk {
  found: Range;
}

/**
 * The passages of ranked chunks, best first, `limit` at most. A row is shown with its neighbours in the table, on both sides, up to
 * about 300 tokens: `Sat | 10-14` alone does not say that Sunday is closed. Rows that fit into one passage share it.
 */
export function withNeighbours(ranked: Iterable<RankedChunk>, limit: number): RankedPassage[] {
  const drafts: Draft[] = [];
  for (const place of ranked) {
    if (drafts.some((draft) => joins(draft, place))) continue;
    if (drafts.length === limit) break;
    drafts.push({ ...place, found: { first: place.chunk, last: place.chunk } });
  }
  const shown = drafts.map(({ segment, found }) => ({ segment, range: found }));
  return drafts.map(({ segment, chunk, score, matched, found }, at) => {
    const isFree = (next: number): boolean =>
      !shown.some((other) => other.segment === segment && isIn(other.range, next));
    const range = windowOf(segment, found, isFree);
    shown[at] = { segment, range };
    return { segment, chunk, score, matched, ...range };
  });
}

/** Whether the row is visible in the passage, or so good that the passage moves to show it. */
function joins(draft: Draft, { segment, chunk, score }: RankedChunk): boolean {
  if (draft.segment !== segment || tableAt(segment, chunk) !== tableAt(segment, draft.chunk)) return false;
  if (partOf(draft) !== partOf({ segment, chunk })) return false;
  const both = { first: Math.min(draft.found.first, chunk), last: Math.max(draft.found.last, chunk) };
  if (tableAt(segment, chunk) === 0 || tokensOf(segment, both) > PASSAGE_TOKENS) return false;
  if (score >= draft.score * AS_GOOD) {
    draft.found = both;
    return true;
  }
  return isIn(windowOf(segment, draft.found), chunk);
}

const isIn = ({ first, last }: Range, chunk: number): boolean => chunk >= first && chunk <= last;

/** The rows with their neighbours in the table, alternately before and after. */
function windowOf(segment: Segment, rows: Range, isFree: (chunk: number) => boolean = () => true): Range {
  const table = tableAt(segment, rows.first);
  // Tables of two knowledge bases may have the same number.
  const part = partOf({ segment, chunk: rows.first });
  let { first, last } = rows;
  let left = table === 0 ? 0 : PASSAGE_TOKENS - tokensOf(segment, rows);
  const fits = (chunk: number): boolean => {
    if (chunk < part.from || chunk >= part.to || tableAt(segment, chunk) !== table) return false;
    if (tokensAt(segment, chunk) > left || !isFree(chunk)) return false;
    left -= tokensAt(segment, chunk);
    return true;
  };
  for (let [before, after] = [left > 0, left > 0]; before || after;) {
    before &&= fits(first - 1);
    if (before) first -= 1;
    after &&= fits(last + 1);
    if (after) last += 1;
  }
  return { first, last };
}

function tokensOf(segment: Segment, { first, last }: Range): number {
  let tokens = 0;
  for (let chunk = first; chunk <= last && tokens <= PASSAGE_TOKENS; chunk += 1) tokens += tokensAt(segment, chunk);
  return tokens;
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
