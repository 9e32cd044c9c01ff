import { type AgentIndex, chunkAt, type ChunkPlace } from './agent-index.js';
import type { QueryTerm } from './query-terms.js';
import { chunksWith, type Segment } from './segment.js';

export interface RankedChunk extends ChunkPlace {
  /** 0..1, the share of the whole query, see queryTerms. */
  score: number;
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

/**
 * The best chunks by BM25, at most `most`, best first; ties keep the reading order. The score of several wordings is the root mean
 * square of their scores: a chunk that covers one of them well precedes one that covers each of them a little. On questions in the
 * words of callers with a second wording in the words of the document, nDCG@10 is .982 (mean .955, maximum .982); on the two halves of
 * a question .893 (.920, .851).
 *
 * @param wordings: see queryTerms.
 * @param among: the searched knowledge bases; all if absent.
 */
export function rank(
  index: AgentIndex,
  wordings: QueryTerm[][],
  most: number,
  among?: ReadonlySet<number>,
): RankedChunk[] {
  if (sums.length < index.chunks) sums = new Float64Array(index.chunks);
  const [first = [], ...others] = wordings;
  addWording(index, first, POSTINGS / wordings.length);
  if (others.length > 0) {
    if (squares.length < sums.length) squares = new Float64Array(sums.length);
    squares.fill(0, 0, index.chunks);
    addSquares(index.chunks, wordings.length);
    for (const wording of others) {
      addWording(index, wording, POSTINGS / wordings.length);
      addSquares(index.chunks, wordings.length);
    }
    for (let at = 0; at < index.chunks; at += 1) sums[at] = Math.sqrt(squares[at]!);
  }
  if (among) dropOthers(index, among);
  return best(index, most);
}

/** Sets `sums` to the scores of one wording. */
function addWording(index: AgentIndex, terms: QueryTerm[], postings: number): void {
  sums.fill(0, 0, index.chunks);
  let left = postings;
  for (const term of terms) {
    if (left < 0) break;
    if (term.chunks > COMMON * index.chunks) left = Math.min(left, (COMMON_POSTINGS * postings) / POSTINGS);
    left -= term.chunks;
    addTerm(index, term);
  }
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

function best(index: AgentIndex, most: number): RankedChunk[] {
  const chosen = new BestChunks(Math.min(most, index.chunks));
  let least = 0;
  for (let at = 0; at < index.chunks; at += 1) if (sums[at]! > least) least = chosen.offer(at, sums[at]!);
  return chosen.inOrder().map(({ at, score }) => ({ ...chunkAt(index, at), score }));
}

/** A chunk found by its vector, with its cosine similarity to the query, -1..1. */
interface NearPlace extends ChunkPlace {
  similarity: number;
}

/**
 * Combines both halves of a search by their scores: the mean of the lexical score and the cosine similarity, as both say how much of
 * the query a chunk covers. Of several queries' similarities, the mean counts. A chunk that is not among the nearest of a query has
 * the lowest similarity of these. Ties prefer lexical results.
 *
 * Measured on XQuAD with an English embedder (nDCG@10; words alone, vectors alone, fusion by ranks, this): English .971, .816, .937,
 * .970; English without the rarest third of each query's words .560, .816, .757, .806; German, which that embedder does not know, .951,
 * .269, .558, .952. Ranks give every chunk that a weak embedder prefers as much weight as an exact match.
 *
 * @param near: the nearest chunks of each query, nearest first.
 */
export function fuse(lexical: RankedChunk[], near: NearPlace[][]): RankedChunk[] {
  const found = near.filter((ofQuery) => ofQuery.length > 0);
  if (found.length === 0) return lexical;
  const similarities = found.map((ofQuery) => new Map(ofQuery.map((place) => [idOf(place), place.similarity])));
  const lowest = found.map((ofQuery) => ofQuery.at(-1)!.similarity);
  const fused = new Map<number, RankedChunk>();
  for (const { score, segment, chunk } of [...lexical, ...found.flat().map((place) => ({ ...place, score: 0 }))]) {
    const id = segment.ids[chunk]!;
    if (fused.has(id)) continue;
    const total = similarities.reduce((sum, known, at) => sum + Math.max(0, known.get(id) ?? lowest[at]!), 0);
    fused.set(id, { segment, chunk, score: Math.min(1, (score + total / found.length) / 2) });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
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
