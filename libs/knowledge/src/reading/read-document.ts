import { availableParallelism } from 'node:os';
import type { ReadingFacts, ReadingInput, ReadingListener } from './reading.js';
import { ReadingProcess } from './reading-process.js';
import { Slots } from './slots.js';

/** Children at once: one core stays with those who answer requests and calls. */
export const READERS = Math.max(1, availableParallelism() - 1);
const slots = new Slots(READERS);

/**
 * Sniffs, extracts and chunks a local file in a child process of its own. Batches arrive in order, and the next one is sent
 * when `on.chunks` has resolved. Rejects with a DocumentProblem (also PARSE_TIMEOUT after 30 s of work and PARSE_MEMORY at
 * 700 MB), with what `on.chunks` rejected with, or with the signal's reason; batches may have been given before. The child
 * is gone when this settles. At most cores - 1 children run at once in this process; others wait.
 */
export async function readDocument(
  input: ReadingInput,
  on: ReadingListener,
  signal?: AbortSignal,
): Promise<ReadingFacts> {
  const release = await slots.take(signal);
  try {
    return await new ReadingProcess(input, on).read(signal);
  } finally {
    release();
  }
}
