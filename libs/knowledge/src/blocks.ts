/** Where a block was found. */
interface BlockPlace {
  /** Position of the text in the extracted text, in UTF-16 units; for plain text and Markdown its position in the source. */
  offset: number;
  /** How much of the extracted text it covers, where that is not the length of `text` (markup left out, cells of a row). */
  length?: number;
  /** From 1; only of documents that have pages. */
  page?: number;
}

/** A title above what follows it; `level` 1 (the highest) to 6. */
export interface HeadingBlock extends BlockPlace {
  kind: 'heading';
  level: number;
  text: string;
}

/** A paragraph, a list item with its "- ", or a piece of code. */
export interface ParagraphBlock extends BlockPlace {
  kind: 'paragraph';
  text: string;
}

/** One row of a table, without its header. */
export interface RowBlock extends BlockPlace {
  kind: 'row';
  /** Rows with the same object belong together. */
  table: Table;
  cells: string[];
  /** 1: the first row after the header. */
  number: number;
}

/** What an extractor finds in a document, in reading order. */
export type Block = HeadingBlock | ParagraphBlock | RowBlock;

/**
 * `record` (CSV): a chunk says `Header: value` for whole rows. `grid` (a table in a text): the header's line is repeated
 * in each chunk and cells are joined by ` | `.
 */
export interface Table {
  header: string[];
  style: 'record' | 'grid';
  /** Position of the header in the extracted text, where it has one. */
  offset?: number;
}

export type TakeBlock = (block: Block) => void;

/** A passage as it is stored, embedded, searched and quoted. */
export interface Chunk {
  /** From 0, in reading order. */
  ordinal: number;
  text: string;
  /** The headings above it, highest first; without the knowledge base's title. */
  headingPath: string[];
  /** The page of its first block. */
  page?: number;
  /** The rows of its table, both included. */
  rows?: { first: number; last: number };
  /** Offsets into the extracted text (into the source of plain text and Markdown); `end` is after the last character. */
  start: number;
  end: number;
  /** Estimated, see `estimateTokens`. */
  tokens: number;
}

/**
 * What lexical search and embedders read of a chunk: `title > heading > heading`, an empty line, the text. Made when it is
 * needed, so that a new title asks for no new chunks.
 */
export function indexedText(chunk: Pick<Chunk, 'headingPath' | 'text'>, title: string): string {
  return `${[title, ...chunk.headingPath].join(' > ')}\n\n${chunk.text}`;
}
