import type { TakeBlock } from '../blocks.js';

/** What a document says about itself. */
export interface DocumentFacts {
  title?: string;
  pages?: number;
  /** Images (scans), or damaged; of a PDF that has text on other pages. */
  pagesWithoutText?: number;
  /** The encoding of a text, as it was found out; not for PDF and Word. */
  charset?: string;
}

/** What is known about the document from outside. */
export interface ExtractHints {
  /** From the Content-Type of a fetched page; believed before what the page says, after a byte order mark. */
  charset?: string;
  /** Told the share that has been read, by those that read step by step. */
  onProgress?: (fraction: number) => void;
}

/**
 * Reads a document's blocks in order; one per type. Runs in the child process only: the whole file may be in memory, and
 * no limit of time or memory is kept here. Throws a DocumentProblem when the document is what is wrong.
 */
export type Extract = (path: string, take: TakeBlock, hints?: ExtractHints) => Promise<DocumentFacts>;
