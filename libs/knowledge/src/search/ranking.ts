import { type AgentIndex, type ChunkPlace, chunksWith, type Segment } from './agent-index.js';
import { BestChunks } from './best-chunks.js';
import type { QueryTerm } from './query-terms.js';

export interface RankedChunk extends ChunkPlace {
  /** 0..1: of what a chunk full of every term of the query would get. */
  score: number;
}

/** Looked at for one query, those of rare terms first: about 5 ms. */
const POSTINGS = 1_500_000;

// A search scores without a pause in between, so that all of a process can use the same sums.
let sums = new Float64Array(1_024);

/** BM25: the chunks that fit the terms best, at most so many, the best first; of equal ones the first in reading order. */
export function rank(index: AgentIndex, terms: QueryTerm[], most: number): RankedChunk[] {
  if (sums.length < index.chunks) sums = new Float64Array(index.chunks);
  sums.fill(0, 0, index.chunks);
  let left = POSTINGS;
  for (const term of terms) {
    if (left < 0) break;
    left -= term.chunks;
    addTerm(index, term);
  }
  return best(index, most, 1 / terms.reduce((sum, term) => sum + term.worth, 0));
}

function addTerm(index: AgentIndex, term: QueryTerm): void {
  let base = 0;
  index.segments.forEach((segment, at) => {
    const termId = term.termIds[at]!;
    if (chunksWith(segment, termId) > 0) addPostings(segment, termId, base, term.worth, index.norms);
    base += segment.ids.length;
  });
}

function addPostings(segment: Segment, termId: number, base: number, worth: number, norms: Float32Array): void {
  const { offsets, chunks, frequencies } = segment;
  const end = offsets[termId + 1]!;
  for (let at = offsets[termId]!; at < end; at += 1) {
    const chunk = base + chunks[at]!;
    const frequency = frequencies[at]!;
    sums[chunk]! += (worth * frequency) / (frequency + norms[chunk]!);
  }
}

function best(index: AgentIndex, most: number, scale: number): RankedChunk[] {
  const chosen = new BestChunks(Math.min(most, index.chunks));
  let least = 0;
  for (let at = 0; at < index.chunks; at += 1) if (sums[at]! > least) least = chosen.offer(at, sums[at]!);
  return chosen.inOrder().map(({ at, score }) => rankedChunk(index, at, score * scale));
}

function rankedChunk(index: AgentIndex, at: number, score: number): RankedChunk {
  let base = 0;
  for (const segment of index.segments) {
    if (at < base + segment.ids.length) return { segment, chunk: at - base, score };
    base += segment.ids.length;
  }
  throw new RangeError('the index has no such chunk');
}

/** Cormack, Clarke, Büttcher 2009: how little the first ranks differ. */
const K = 60;
/** Words and vectors count alike: which is better depends on the embedder, and names and numbers are found by words. */
const WEIGHTS = { lexical: 1, dense: 1 };

/** Reciprocal rank fusion; a chunk that is first in both has the score 1. Of equal ones those found by words come first. */
export function fuse(lexical: RankedChunk[], dense: ChunkPlace[]): RankedChunk[] {
  const fused = new Map<number, RankedChunk>();
  const add = (ranked: ChunkPlace[], weight: number): void =>
    ranked.forEach(({ segment, chunk }, at) => {
      const id = segment.ids[chunk]!;
      const score = (weight / (K + at + 1)) * SCALE + (fused.get(id)?.score ?? 0);
      fused.set(id, { segment, chunk, score });
    });
  add(lexical, WEIGHTS.lexical);
  add(dense, WEIGHTS.dense);
  return [...fused.values()].sort((a, b) => b.score - a.score);
}

const SCALE = (K + 1) / (WEIGHTS.lexical + WEIGHTS.dense);

/**
 * Leaves out what says the same as something before it: the same words in the same order, as in a document uploaded twice.
 * Chunks that differ in one word stay: in a price list that word is the answer.
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
