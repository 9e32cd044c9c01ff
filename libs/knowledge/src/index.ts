export * from './agent-knowledge.js';
export * from './blocks.js';
export * from './create-knowledge-base.js';
export * from './delete-knowledge-base.js';
export { deleteExpiredDocuments } from './document-retention.js';
export * from './file-name.js';
export * from './find-knowledge-base.js';
export * from './generations.js';
export * from './knowledge-base-row.js';
export * from './knowledge-base-view.js';
export * from './limits.js';
export * from './list-knowledge-bases.js';
export * from './reprocess-knowledge-base.js';
export * from './update-knowledge-base.js';
export type { FoundChunk } from './search/found-chunk.js';
export {
  KnowledgeSearch,
  QUERY_CHARACTERS,
  type KnowledgeSearchParts,
  type SearchedAgent,
  type SearchOptions,
} from './search/knowledge-search.js';
export { openKnowledgeSearch, type OpenSearch } from './search/open-search.js';
export * from './extract/document-problem.js';
export * from './extract/extract.js';
export type { PageFetcher } from './fetch/fetch-page.js';
export { Robots } from './fetch/robots.js';
export { Ingest, type IngestOptions } from './ingest/ingest.js';
export { ScratchFolder } from './ingest/scratch-folder.js';
export type { ReadingFacts, ReadingInput, ReadingListener } from './reading/reading.js';
export * from './embed/embedder.js';
export * from './vectors/vector-store.js';
export * from './embed/open-embedder.js';
export { PATIENCE, type Patience } from './embed/http-embedder.js';
export { purgeEmbeddingCache } from './embed/embedding-cache.js';
export { embedChunks, type ChunkEmbedding } from './embed/embed-chunks.js';
export { chunkText } from './chunk/chunk-text.js';
export { Chunker } from './chunk/chunker.js';
export { indexedText } from './chunk/indexed-text.js';
export { estimateTokens } from './chunk/token-estimate.js';
export { openVectorStore, type VectorStoreParts } from './vectors/open-vector-store.js';
export { openVectors, type OpenVectors, type OpenVectorsParts } from './vectors/open-vectors.js';
export { PgvectorStore } from './vectors/pgvector-store.js';
export { PlainVectorStore } from './vectors/plain-store.js';
export { VectorBackfill, type BackfillParts } from './vectors/vector-backfill.js';
export { VectorIndex } from './vectors/vector-index.js';
export { readDocument, READERS } from './reading/read-document.js';
export { extractorOf } from './reading/extractors.js';
