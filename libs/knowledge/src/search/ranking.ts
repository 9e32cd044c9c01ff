import { type AgentIndex, chunkAt, type ChunkPlace } from './agent-index.js';
import type { QueryTerm } from './query-terms.js';
import { chunksWith, type Segment, tableAt } from './segment.js';

/**
 * What found a passage. `words`: it contains a word of the question that is not a function word, or a similar spelling or number.
 * `meaning`: its vector is near to that of the question, at least half as far above the other passages as the nearest one.
 */
export const MATCHES = ['words', 'meaning', 'both'] as const;
export type Matched = (typeof MATCHES)[number];

export interface RankedChunk extends ChunkPlace {
  /** 0..1, the share of the whole query, see queryTerms; after `fuse` including its similarity. */
  score: number;
  matched: Matched;
}

/** A chunk with its lexical score. */
interface LexicalChunk extends ChunkPlace {
  score: number;
  /** Whether a term other than function words occurs in it; only with `also`. */
  hasContent: boolean;
}

/** Maximum number of postings per query, rare terms first: about 5 ms. */
const POSTINGS = 1_500_000;
/**
 * A term of nearly all chunks, such as a column name in a table of 200,000 rows, says little about a chunk: together such terms get
 * about so many postings, at least one of them all of its own. A question of column names took 8 ms.
 */
const COMMON = 0.9;
const COMMON_POSTINGS = 150_000;

// Scoring is synchronous, so that all searches of a process can share the arrays.
let sums = new Float64Array(1_024);
let squares = new Float64Array(0);
let contents = new Uint8Array(0);

/**
 * The best chunks by BM25, at most `most`, best first; ties keep the reading order. The score of several wordings is the root mean
 * square of their scores: a chunk that covers one of them well precedes one that covers each of them a little. On questions in the
 * words of callers with a second wording in the words of the document, nDCG@10 is .982 (mean .955, maximum .982); on the two halves of
 * a question .893 (.920, .851).
 *
 * @param wordings: see queryTerms.
 * @param among: the searched knowledge bases; all if absent.
 * @param also: further chunks of these knowledge bases, which are returned with their scores after the best.
 */
export function rank(
  index: AgentIndex,
  wordings: QueryTerm[][],
  most: number,
  { among, also = [] }: { among?: ReadonlySet<number> | undefined; also?: readonly ChunkPlace[] } = {},
): LexicalChunk[] {
  if (sums.length < index.chunks) sums = new Float64Array(index.chunks);
  // Without near chunks, all are found by words.
  const marks = also.length > 0;
  if (contents.length < index.chunks) contents = new Uint8Array(sums.length);
  if (marks) contents.fill(0, 0, index.chunks);
  const [first = [], ...others] = wordings;
  addWording(index, first, POSTINGS / wordings.length, marks);
  if (others.length > 0) {
    if (squares.length < sums.length) squares = new Float64Array(sums.length);
    squares.fill(0, 0, index.chunks);
    addSquares(index.chunks, wordings.length);
    for (const wording of others) {
      addWording(index, wording, POSTINGS / wordings.length, marks);
      addSquares(index.chunks, wordings.length);
    }
    for (let at = 0; at < index.chunks; at += 1) sums[at] = Math.sqrt(squares[at]!);
  }
  if (among) dropOthers(index, among);
  return best(index, most, also);
}

/** Sets `sums` to the scores of one wording. `marks`: adds to `contents` what has a term other than function words. */
function addWording(index: AgentIndex, terms: QueryTerm[], postings: number, marks: boolean): void {
  sums.fill(0, 0, index.chunks);
  let left = postings;
  let isContent = true;
  for (const term of terms) {
    if (left < 0) break;
    if (marks && isContent && term.isFunctionWord) markContents(index.chunks);
    isContent = !term.isFunctionWord;
    if (term.chunks > COMMON * index.chunks) left = Math.min(left, (COMMON_POSTINGS * postings) / POSTINGS);
    left -= term.chunks;
    addTerm(index, term);
  }
  if (marks && isContent) markContents(index.chunks);
}

/** Marks the chunks that have a score by now. */
function markContents(chunks: number): void {
  for (let at = 0; at < chunks; at += 1) if (sums[at]! > 0) contents[at] = 1;
}

function addSquares(chunks: number, wordings: number): void {
  for (let at = 0; at < chunks; at += 1) squares[at]! += (sums[at]! * sums[at]!) / wordings;
}

function addTerm(index: AgentIndex, term: QueryTerm): void {
  index.segments.forEach((segment, at) => {
    const termId = term.termIds[at]!;
    if (chunksWith(segment, termId) > 0) addPostings(segment, termId, index.positions[at]!, term.worth, index.norms);
  });
}

function addPostings(
  segment: Segment,
  termId: number,
  positions: Uint32Array,
  worth: number,
  norms: Float32Array,
): void {
  const { offsets, chunks, frequencies } = segment;
  const end = offsets[termId + 1]!;
  for (let at = offsets[termId]!; at < end; at += 1) {
    const position = positions[chunks[at]!]!;
    const frequency = frequencies[at]!;
    sums[position]! += (worth * frequency) / (frequency + norms[position]!);
  }
}

/** Before the best are chosen: a few small knowledge bases get as many results as the whole knowledge would. */
function dropOthers({ parts }: AgentIndex, among: ReadonlySet<number>): void {
  for (const { source, position, from, to } of parts)
    if (!among.has(source.knowledgeBaseId)) sums.fill(0, position, position + to - from);
}

function best(index: AgentIndex, most: number, also: readonly ChunkPlace[]): LexicalChunk[] {
  const chosen = new BestChunks(Math.min(most, index.chunks));
  let least = 0;
  for (let at = 0; at < index.chunks; at += 1) if (sums[at]! > least) least = chosen.offer(at, sums[at]!);
  const ranked = chosen
    .inOrder()
    .map(({ at, score }) => ({ ...chunkAt(index, at), score, hasContent: contents[at] === 1 }));
  if (also.length === 0) return ranked;
  const known = new Set(ranked.map(idOf));
  const numbers = new Map(index.segments.map((segment, at) => [segment, at]));
  for (const { segment, chunk } of also) {
    if (known.has(segment.ids[chunk]!)) continue;
    known.add(segment.ids[chunk]!);
    const at = index.positions[numbers.get(segment)!]![chunk]!;
    ranked.push({ segment, chunk, score: sums[at]!, hasContent: contents[at] === 1 });
  }
  return ranked;
}

/** A chunk found by its vector, with its cosine similarity to the query, -1..1. */
interface NearPlace extends ChunkPlace {
  similarity: number;
}

/** Similarity counts from that of so many nearest chunks on: models differ in what similarity two unrelated texts have. */
export const NEAREST = 40;
const WEIGHT = 2.5;
/** Small differences say little: rows of a table are all about as near. */
const POWER = 1.5;
/** The more of the query the best chunk covers by words, the less similarity counts. */
const TRUST_IN_WORDS = 3;
/** Rows of a table are found by their words. */
const ROW_SHARE = 0.8;
/** Orders chunks that are no nearer than others and have no word of the question. */
const REST = 0.001;

/**
 * Combines both halves of a search: the lexical score, which says how much of the query a chunk covers, and how far its similarity to
 * the query is above that of the NEAREST-th chunk, as a share of what is left to identity. Of several queries' similarities, the mean
 * counts. Ties prefer lexical results. The constants and what else was tried: docs/decisions/0076.
 *
 * @param lexical: see rank; includes the near chunks.
 * @param near: the nearest chunks of each query, nearest first.
 */
export function fuse(lexical: readonly LexicalChunk[], near: readonly (readonly NearPlace[])[]): RankedChunk[] {
  const found = near.filter((ofQuery) => ofQuery.length > 0);
  if (found.length === 0)
    return lexical.map(({ segment, chunk, score }) => ({ segment, chunk, score, matched: 'words' }));
  const gains = found.map(gainsOf);
  const covered = lexical.reduce((most, { score }) => Math.max(most, score), 0);
  const weight = WEIGHT * (1 - Math.min(1, covered)) ** TRUST_IN_WORDS;
  const clear = gains.map((ofQuery) => Math.max(...[...ofQuery.values()].map(({ gain }) => gain)) / 2);
  const fused = lexical.map(({ segment, chunk, score, hasContent }): RankedChunk => {
    const own = gains.map((ofQuery) => ofQuery.get(segment.ids[chunk]!));
    const gain = own.reduce((sum, one) => sum + (one?.gain ?? 0), 0) / found.length;
    const rest = own.reduce((sum, one) => sum + (one?.similarity ?? 0), 0) / found.length;
    const byMeaning = weight * gain ** POWER + REST * rest;
    const isNear = own.some((one, at) => one !== undefined && one.gain > 0 && one.gain >= clear[at]!);
    const isMeant = isNear || (!hasContent && byMeaning > score);
    const matched = isMeant ? (hasContent ? 'both' : 'meaning') : 'words';
    return { segment, chunk, score: (score + byMeaning) / (1 + weight + REST), matched };
  });
  return fused.sort((a, b) => b.score - a.score);
}

interface Gain {
  /** 0..1 */
  similarity: number;
  /** 0..1, how far the similarity is above that of the other chunks. */
  gain: number;
}

/** Of the nearest chunks of a query, by their ids. */
function gainsOf(near: readonly NearPlace[]): Map<number, Gain> {
  const usual = near.length > 1 ? near[Math.min(near.length, NEAREST) - 1]!.similarity : 0;
  return new Map(
    near.map((place) => {
      const share = Math.min(1, Math.max(0, place.similarity - usual) / Math.max(1 - usual, Number.EPSILON));
      const gain = tableAt(place.segment, place.chunk) === 0 ? share : ROW_SHARE * share;
      return [idOf(place), { similarity: Math.min(1, Math.max(0, place.similarity)), gain }];
    }),
  );
}

const idOf = ({ segment, chunk }: ChunkPlace): number => segment.ids[chunk]!;

/**
 * Removes duplicates: chunks with the same words in the same order, as in a document uploaded twice. Chunks that differ in one word
 * are kept: in a price list, that word is the answer.
 */
export function distinct<T extends ChunkPlace>(chunks: Iterable<T>, limit: number): T[] {
  const kept: T[] = [];
  const prints = new Set<number>();
  for (const place of chunks) {
    if (kept.length === limit) break;
    const print = place.segment.prints[place.chunk]!;
    if (prints.has(print)) continue;
    if (print !== 0) prints.add(print);
    kept.push(place);
  }
  return kept;
}

interface Scored {
  at: number;
  score: number;
}

/**
 * Keeps the best of many scores in a heap with the weakest at the top. Of equal scores, the one offered first is kept. Uses arrays
 * of numbers: with an object per entry, selecting 40 of 10,000 took as long as computing the scores.
 */
export class BestChunks {
  private readonly places: Uint32Array;
  private readonly scores: Float64Array;
  private count = 0;

  constructor(private readonly most: number) {
    this.places = new Uint32Array(most);
    this.scores = new Float64Array(most);
  }

  /**
   * Adds a score, which must exceed the result of the last call (0 at first), in ascending order of `at`. Returns the
   * next threshold.
   */
  offer(at: number, score: number): number {
    if (this.count < this.most) this.rise(at, score);
    else this.sink(at, score);
    return this.count < this.most ? 0 : this.scores[0]!;
  }

  inOrder(): Scored[] {
    const kept = Array.from({ length: this.count }, (_, n) => ({ at: this.places[n]!, score: this.scores[n]! }));
    return kept.sort((a, b) => b.score - a.score || a.at - b.at);
  }

  /** Inserts at the end of the heap. */
  private rise(at: number, score: number): void {
    let place = this.count++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.isWeaker(parent, at, score)) break;
      this.move(parent, place);
      place = parent;
    }
    this.put(place, at, score);
  }

  /** Replaces the weakest, at the top. */
  private sink(at: number, score: number): void {
    let place = 0;
    for (let child = 1; child < this.count; child = 2 * place + 1) {
      const other = child + 1;
      if (other < this.count && this.isWeaker(other, this.places[child]!, this.scores[child]!)) child = other;
      if (!this.isWeaker(child, at, score)) break;
      this.move(child, place);
      place = child;
    }
    this.put(place, at, score);
  }

  private isWeaker(place: number, at: number, score: number): boolean {
    const own = this.scores[place]!;
    return own < score || (own === score && this.places[place]! > at);
  }

  private move(from: number, to: number): void {
    this.put(to, this.places[from]!, this.scores[from]!);
  }

  private put(place: number, at: number, score: number): void {
    this.places[place] = at;
    this.scores[place] = score;
  }
}
