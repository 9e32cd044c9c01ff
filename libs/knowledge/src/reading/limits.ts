/** From the start of the child to the last block. The slowest of 1,009 real PDFs took 4 s. */
export const PARSE_MS = 30_000;
/** The kernel's measure: wasm and buffers are outside the heap that V8 limits. */
export const PARSE_RSS_BYTES = 700 * 1024 * 1024;
export const PARSE_HEAP_MB = 512;
export const DOCUMENT_CHARACTERS = 10_000_000;
/** What the parent holds of a document at once, whatever its size. */
export const BATCH_CHUNKS = 200;
export const BATCH_BYTES = 256 * 1024;
