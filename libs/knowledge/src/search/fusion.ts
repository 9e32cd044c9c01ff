import type { ChunkPlace } from './agent-index.js';
import type { RankedChunk } from './ranking.js';

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
