/** What a document must not exceed is measured while it is read; these hold for what is stored. */
export const CHUNKS_PER_KNOWLEDGE_BASE = 10_000;
export const CHUNKS_PER_AGENT = 100_000;
/** The specification's number. */
export const TITLE_LENGTH = 255;
/** 10 MB, the specification's number. */
export const FILE_BYTES = 10_485_760;
/** A longer text is a file: JSON of several MB would hold up everybody else while it is parsed. */
export const CONTENT_LENGTH = 500_000;
/** Lists show longer content as null, whole or not at all: a page of 100 stays under a few MB. */
export const LISTED_CONTENT_LENGTH = 10_000;
export const FILE_NAME_LENGTH = 255;
export const QUERY_LENGTH = 1_000;
