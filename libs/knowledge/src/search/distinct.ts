import type { ChunkPlace } from './agent-index.js';

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
