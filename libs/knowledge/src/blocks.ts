/** Position of a block in the document. */
interface BlockPlace {
  /** Position of the text in the extracted text, in UTF-16 units; for plain text and Markdown its position in the source. */
  offset: number;
  /** Length in the extracted text if it differs from the length of `text` (markup removed, cells of a row). */
  length?: number;
  /** From 1; only in documents with pages. */
  page?: number;
}

/** A title of the text that follows; `level` 1 (the highest) to 6. */
export interface HeadingBlock extends BlockPlace {
  kind: 'heading';
  level: number;
  text: string;
}

/** A paragraph, a list item including its "- ", or a code block. */
export interface ParagraphBlock extends BlockPlace {
  kind: 'paragraph';
  text: string;
}

/** One row of a table, without its header. */
export interface RowBlock extends BlockPlace {
  kind: 'row';
  /** Rows of one table share this object. */
  table: Table;
  cells: string[];
  /** 1: the first row after the header. */
  number: number;
}

/** A unit of a document; extractors emit them in reading order. */
export type Block = HeadingBlock | ParagraphBlock | RowBlock;

/**
 * `record` (CSV): a row becomes `Header: value` lines. `grid` (a table in a text): cells are joined by ` | ` below the header
 * line, which each chunk repeats.
 */
export interface Table {
  header: string[];
  style: 'record' | 'grid';
  /** Position of the header in the extracted text, if it has one. */
  offset?: number;
}

export type BlockConsumer = (block: Block) => void;

/** A passage: the unit that is stored, embedded, searched and quoted. */
export interface Chunk {
  /** From 0, in reading order. */
  ordinal: number;
  text: string;
  /** The headings above it, highest first, without the knowledge base's title. */
  headingPath: string[];
  /** Page of its first block. */
  page?: number;
  /** Row numbers in its table, both included: the same number, except in chunks of earlier versions. */
  rows?: { first: number; last: number };
  /**
   * Number of its table in the document, from 1: the same for all rows of a table, the text above it and a note of a few words
   * below it, which are consecutive chunks.
   */
  table?: number;
  /** Length of the header line with its line end at the start of the text of a row; absent if cells name their columns. */
  headerLength?: number;
  /** Offsets into the extracted text (into the source of plain text and Markdown); `end` is after the last character. */
  start: number;
  end: number;
  /** An estimate, see `estimateTokens`. */
  tokens: number;
}

/**
 * The text that lexical search indexes: `title > heading > heading`, an empty line, the text. Built on demand, so that a
 * changed title requires no new chunks.
 */
export function toIndexedText(chunk: Pick<Chunk, 'headingPath' | 'text'>, title: string): string {
  return `${[title, ...chunk.headingPath].join(' > ')}\n\n${chunk.text}`;
}
