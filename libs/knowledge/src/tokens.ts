/** Overrides limits and times of document processing in tests: `Partial<IngestSettings>`. */
export const INGEST_SETTINGS = Symbol('INGEST_SETTINGS');

/** `RetryPolicy` of requests to an embeddings endpoint; HTTP_RETRIES if absent. */
export const EMBEDDING_RETRIES = Symbol('EMBEDDING_RETRIES');

/** Overrides times of the vector backfill in tests: `Partial<BackfillTimes>`. */
export const BACKFILL_TIMES = Symbol('BACKFILL_TIMES');
