import { Semaphore } from '@app/common';
import { Injectable } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import type { ReadingFacts, ReadingInput, ReadingListener } from './reading.js';
import { ReadingProcess } from './reading-process.js';

/** Children at once: one core stays with those who answer requests and calls. */
export const PARSERS = Math.max(1, availableParallelism() - 1);
const permits = new Semaphore(PARSERS);

/**
 * Sniffs, extracts and chunks a local file in a child process of its own. Batches arrive in order, and the next one is sent
 * when `on.chunks` has resolved. Rejects with a DocumentProblem (also PARSE_TIMEOUT after 30 s of work and PARSE_MEMORY at
 * 700 MB), with what `on.chunks` rejected with, or with the signal's reason; batches may have been given before. The child
 * is gone when this settles. At most cores - 1 children run at once in this process; others wait.
 */
export function readDocument(input: ReadingInput, on: ReadingListener, signal?: AbortSignal): Promise<ReadingFacts> {
  return permits.run(() => new ReadingProcess(input, on).read(signal), signal);
}

/** Parses documents for the pipeline, see readDocument. */
@Injectable()
export class DocumentParser {
  parse(input: ReadingInput, on: ReadingListener, signal?: AbortSignal): Promise<ReadingFacts> {
    return readDocument(input, on, signal);
  }
}
