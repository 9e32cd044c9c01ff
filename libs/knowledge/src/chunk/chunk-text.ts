import { CooperativeYield } from '@app/common';
import type { Chunk } from '../blocks.js';
import { markdownBlocks } from '../extract/markdown.js';
import { Chunker } from './chunker.js';

/** A process that carries calls must not be held longer at a time. */
const WORK_MS = 3;

/**
 * The chunks of a plain or Markdown text of at most 100,000 characters, made in this process. Longer texts belong into the child
 * process that reads files, which cuts them the same way. Offsets are positions in `content`.
 */
export async function chunkText(content: string): Promise<Chunk[]> {
  const chunker = new Chunker();
  const chunks: Chunk[] = [];
  const pacing = new CooperativeYield(WORK_MS);
  for (const block of markdownBlocks(content)) {
    for (const chunk of chunker.chunksOf(block)) {
      chunks.push(chunk);
      if (pacing.due) await pacing.pause();
    }
    if (pacing.due) await pacing.pause();
  }
  return [...chunks, ...chunker.end()];
}
