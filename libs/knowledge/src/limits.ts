/** Limits of what is stored. The limits of a document are enforced while it is read. */
/** Each row of a table is a chunk: room for a CSV file of 200,000 rows, some of which are too long for one chunk. */
export const CHUNKS_PER_KNOWLEDGE_BASE = 250_000;
/** The index of as many rows takes about 100 MB in each process that searches it, see KNOWLEDGE_CACHE_MB. */
export const CHUNKS_PER_AGENT = 500_000;
/**
 * Rows after this many chunks of a knowledge base get no vector: a list of 200,000 products would cost as many embeddings after each
 * change of a price, and callers ask for its rows by number and by name, which words find better.
 */
const CHUNKS_WITH_ROW_VECTORS = 10_000;
/** A condition on `knowledge_chunks` with this alias: the chunks that get vectors. */
export const getsVector = (chunk: string): string =>
  `(${chunk}.first_row IS NULL OR ${chunk}.ordinal % 1000000 < ${CHUNKS_WITH_ROW_VECTORS})`;
/** Agents that a knowledge base is shared with, and knowledge bases that a call, a search or a simulation names. */
export const SELECTED_AT_MOST = 100;
/** The specification's number. */
export const TITLE_LENGTH = 255;
/** 10 MB, the specification's number. */
export const FILE_BYTES = 10_485_760;
/** Longer texts must be uploaded as files: parsing several MB of JSON would block other requests. */
export const CONTENT_LENGTH = 500_000;
/** Lists return longer content as null, never cut: a page of 100 stays under a few MB. */
export const LISTED_CONTENT_LENGTH = 10_000;
export const FILE_NAME_LENGTH = 255;
export const QUERY_LENGTH = 1_000;
export const TESTS_PER_AGENT = 200;
export const QUESTIONS_PER_TEST = 3;
export const EXPECTED_TEXT_LENGTH = 2_000;
export const EXPECTED_SOURCE_LENGTH = 2_048;
/** The largest number of passages that a search returns. */
export const MAX_WITHIN = 20;
export const DEFAULT_WITHIN = 3;
