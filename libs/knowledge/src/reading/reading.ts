import type { Chunk } from '../blocks.js';
import type { DocumentFacts, DocumentType } from '../extract/extract.js';

/** A local file that is to be read. */
export interface ReadingInput {
  path: string;
  /** What it is said to be; the bytes must agree. */
  type: DocumentType;
  /** From the Content-Type of a fetched page. */
  charset?: string;
}

/** Who takes what is read. */
export interface ReadingListener {
  /** A batch in reading order, of at most 200 chunks; the next one comes when this has resolved. */
  chunks(batch: Chunk[]): Promise<void>;
  /** The share of the document that the chunks given so far come from, above 0 to 1. */
  progress?(fraction: number): void;
}

/** A document that has been read whole. */
export interface ReadingFacts extends DocumentFacts {
  type: DocumentType;
  words: number;
  /** UTF-16 units of extracted text. */
  characters: number;
  chunks: number;
}
