import type { Chunk } from '../blocks.js';
import type { ProcessingErrorCode } from '../extract/document-problem.js';
import type { ReadingFacts, ReadingInput } from './reading.js';

/** `read` once, then `more` for each batch that has been taken. */
export type ToReader = { type: 'read'; input: ReadingInput } | { type: 'more' };

export type FromReader =
  | { type: 'chunks'; chunks: Chunk[]; fraction: number }
  /** Every block is there: what may still come is the delivery, at the parent's own pace. */
  | { type: 'parsed' }
  | { type: 'done'; facts: ReadingFacts }
  /** `trace`: where a parser failed, without the words it failed on. */
  | { type: 'failed'; code: ProcessingErrorCode; sentence?: string; trace?: string };
