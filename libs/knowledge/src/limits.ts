/** What a document must not exceed is measured while it is read; these hold for what is stored. */
export const CHUNKS_PER_KNOWLEDGE_BASE = 10_000;
export const CHUNKS_PER_AGENT = 100_000;
/** A name that fits one line; the specification's number. */
export const TITLE_LENGTH = 255;
/** 10 MB, the specification's number. */
export const FILE_BYTES = 10_485_760;
