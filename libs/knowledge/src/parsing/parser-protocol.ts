import type { Chunk } from '../blocks.js';
import type { TextMeasures } from '../chunk/text-meter.js';
import type { DocumentType, DocumentFacts } from '../extract/document-formats.js';
import type { ProcessingErrorCode } from '../extract/document-problem.js';
import type { CrawledPage, PageHead } from '../extract/html/page-links.js';
import type { ExpectedContent } from '../extract/type-of-content.js';

/** A local file to parse. */
export interface ParseInput {
  path: string;
  /** Of an uploaded file: the type of its extension, which the bytes must match. Of a fetched file: what was expected. */
  type: DocumentType | ExpectedContent;
  /** From the Content-Type of a fetched page. */
  charset?: string;
  /** A page of a crawl: title and links are reported as well, and the title becomes the first heading of each chunk. */
  page?: CrawledPage;
}

/** Receives the result of the parser. */
export interface ParseListener {
  /** A batch of at most 200 chunks in reading order; the next one is sent when this has resolved. */
  chunks(batch: Chunk[]): Promise<void>;
  /** Of a page of a crawl, before its chunks. */
  head?(head: PageHead): void;
  /** Share of the document that the delivered chunks cover, above 0 to 1. */
  progress?(fraction: number): void;
}

/** Facts of a completely parsed document. */
export interface ParseFacts extends DocumentFacts, TextMeasures {
  type: DocumentType;
  words: number;
  /** UTF-16 units of extracted text. */
  characters: number;
  chunks: number;
}

/** `read`, then `more` for each processed batch; the next `read` follows `done`, or `failed` with `rssBytes`. */
export type ToParser = { type: 'read'; input: ParseInput } | { type: 'more' };

export type FromParser =
  | { type: 'begun' }
  | { type: 'head'; head: PageHead }
  | { type: 'chunks'; chunks: Chunk[]; fraction: number }
  /** Parsing has ended: only deliveries remain, at the pace of the parent. */
  | { type: 'parsed' }
  /** `rssBytes`: resident memory of the process after the document. */
  | { type: 'done'; facts: ParseFacts; rssBytes: number }
  /**
   * `trace`: stack positions of the failure, without text of the document. `rssBytes`: the document was read without a fault and
   * refused; the process may read another one.
   */
  | { type: 'failed'; code: ProcessingErrorCode; sentence?: string; trace?: string; rssBytes?: number };

/** From the request to the last block. The slowest of 1,009 real PDFs took 4 s. */
export const PARSE_MS = 30_000;
/** Resident memory: wasm and buffers are outside V8's heap limit. */
export const PARSE_RSS_BYTES = 700 * 1024 * 1024;
export const PARSE_HEAP_MB = 512;
/** Not reached by a text file of 10 MB. */
export const DOCUMENT_CHARACTERS = 11_000_000;
/** Limits of a batch, and thereby of what the parent holds of a document in memory. */
export const BATCH_CHUNKS = 200;
export const BATCH_BYTES = 256 * 1024;
