import { setImmediate } from 'node:timers/promises';
import type { Chunk } from '../blocks.js';
import { markdownBlocks } from '../extract/markdown.js';
import { Chunker } from './chunker.js';

/** A process that carries calls must not be held longer at a time. */
const SLICE_MS = 3;

/**
 * The chunks of a plain or Markdown text, made in slices in this process: for texts of at most 100,000 characters; longer
 * ones belong in the child process that reads files, which cuts them the same way. Offsets are positions in `content`.
 */
export async function chunkText(content: string): Promise<Chunk[]> {
  const chunker = new Chunker();
  const chunks: Chunk[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const block of markdownBlocks(content)) {
    for (const chunk of chunker.chunksOf(block)) {
      chunks.push(chunk);
      if (performance.now() > sliceEnd) sliceEnd = await pause();
    }
    if (performance.now() > sliceEnd) sliceEnd = await pause();
  }
  return [...chunks, ...chunker.end()];
}

/** When the slice ends that begins after everybody else has had a turn. */
async function pause(): Promise<number> {
  await setImmediate();
  return performance.now() + SLICE_MS;
}
