import { TOKEN } from './token-estimate.js';

/** Weights, see `weigh`. A chunk is filled up to the target; what must not be parted may take it up to the limit. */
export const TARGET = 300 * TOKEN;

/** Embedders that are run locally read 512 tokens: the rest is for the title and the headings. */
export const LIMIT = 480 * TOKEN;

/** A chunk lighter than this says too little alone; it takes what follows though that makes it heavier than the target. */
export const TINY = 60 * TOKEN;

/** A section lighter than this shares a chunk with its siblings. */
export const SMALL_SECTION = 100 * TOKEN;

/** A sentence heavier than this is not repeated at the start of the next chunk. */
export const OVERLAP = 60 * TOKEN;

/** A longer "heading" is a paragraph in large letters; it would take the room of the text in each chunk below it. */
export const HEADING = 60 * TOKEN;

/** A table whose header is heavier says it cell by cell, only for cells with something in them. */
export const HEADER_LINE = 100 * TOKEN;

/** The name of a column where each cell says it; longer ones are cut there, and said whole once before the table. */
export const LABEL = 30 * TOKEN;
