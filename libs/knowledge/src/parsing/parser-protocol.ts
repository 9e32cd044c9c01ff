import type { Chunk } from '../blocks.js';
import type { DocumentType } from '../extract/document-formats.js';
import type { DocumentFacts } from '../extract/extract.js';
import type { ProcessingErrorCode } from '../extract/document-problem.js';

/** A local file that is to be read. */
export interface ParseInput {
  path: string;
  /** What it is said to be; the bytes must agree. */
  type: DocumentType;
  /** From the Content-Type of a fetched page. */
  charset?: string;
}

/** Who takes what is read. */
export interface ParseListener {
  /** A batch in reading order, of at most 200 chunks; the next one comes when this has resolved. */
  chunks(batch: Chunk[]): Promise<void>;
  /** The share of the document that the chunks given so far come from, above 0 to 1. */
  progress?(fraction: number): void;
}

/** A document that has been read whole. */
export interface ParseFacts extends DocumentFacts {
  type: DocumentType;
  words: number;
  /** UTF-16 units of extracted text. */
  characters: number;
  chunks: number;
}

/** `read` once, then `more` for each batch that has been taken. */
export type ToParser = { type: 'read'; input: ParseInput } | { type: 'more' };

export type FromParser =
  | { type: 'chunks'; chunks: Chunk[]; fraction: number }
  /** Every block is there: what may still come is the delivery, at the parent's own pace. */
  | { type: 'parsed' }
  | { type: 'done'; facts: ParseFacts }
  /** `trace`: where a parser failed, without the words it failed on. */
  | { type: 'failed'; code: ProcessingErrorCode; sentence?: string; trace?: string };

/** From the start of the child to the last block. The slowest of 1,009 real PDFs took 4 s. */
export const PARSE_MS = 30_000;
/** The kernel's measure: wasm and buffers are outside the heap that V8 limits. */
export const PARSE_RSS_BYTES = 700 * 1024 * 1024;
export const PARSE_HEAP_MB = 512;
export const DOCUMENT_CHARACTERS = 10_000_000;
/** What the parent holds of a document at once, whatever its size. */
export const BATCH_CHUNKS = 200;
export const BATCH_BYTES = 256 * 1024;
