export { type Block, type BlockConsumer, type Chunk, toIndexedText } from './blocks.js';
export { Chunker } from './chunk/chunker.js';
export { estimateTokens } from './chunk/text-measures.js';
export { TEXT_QUALITIES } from './chunk/text-quality.js';
export { CrawlPageReaderService } from './crawl/crawl-page-reader.service.js';
export { CrawlPagesRepository } from './crawl/crawl-pages.repository.js';
export { CrawlPipelineService } from './crawl/crawl-pipeline.service.js';
export { CRAWL_LIMITS, crawlProblems, type CrawlSettings, crawlSettings } from './crawl/crawl-settings.js';
export { PAGE_STATES, type PageState } from './crawl/knowledge-page.entity.js';
export { DocumentPipelineModule } from './document-pipeline.module.js';
export { KnowledgeFilesRepository } from './knowledge-files.repository.js';
export type { Embedder } from './embed/embedder.js';
export { probeEmbedder } from './embed/embedder-probe.js';
export { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
export { EmbeddingsService } from './embed/embeddings.service.js';
export type { EmbedderCheck } from './embedder-checks/embedder-checks.repository.js';
export { EmbedderLossesRepository } from './embedder-checks/embedder-losses.repository.js';
export { EmbedderChecksService } from './embedder-checks/embedder-checks.service.js';
export {
  type DocumentFacts,
  type DocumentType,
  extractorOf,
  FILE_TYPES,
  type FileType,
  fileTypeOf,
  fileTypesWith,
  shownFileName,
} from './extract/document-formats.js';
export { DocumentProblem, PROCESSING_ERROR_CODES } from './extract/document-problem.js';
export { PageFetcherService } from './fetch/page-fetcher.service.js';
export { DocumentBacklogRepository } from './ingest/document-backlog.repository.js';
export { DocumentClaimsRepository } from './ingest/document-claims.repository.js';
export { DocumentIngestService } from './ingest/document-ingest.service.js';
export { DocumentLeasesService } from './ingest/document-leases.service.js';
export {
  DocumentPipelineService,
  DocumentSourceService,
  type IngestSettings,
} from './ingest/document-pipeline.service.js';
export type { RefreshGuardService } from './ingest/refresh-guard.service.js';
export { ScratchFolderService } from './ingest/scratch-folder.service.js';
export {
  KNOWLEDGE_STATUSES,
  type KnowledgeStatus,
  SOURCE_TYPES,
  type SourceType,
  STAGES,
} from './knowledge-base.entity.js';
export { KnowledgeBasesModule } from './knowledge-bases.module.js';
export { type CreateKnowledgeBaseCommand, KnowledgeBasesService } from './knowledge-bases.service.js';
export { type Generation, KnowledgeChunksRepository, type NewChunk } from './knowledge-chunks.repository.js';
export { KnowledgeDeletionService } from './knowledge-deletion.service.js';
export { KnowledgeSearchModule } from './knowledge-search.module.js';
export { KnowledgeTestsModule } from './knowledge-tests.module.js';
export {
  CONTENT_LENGTH,
  DEFAULT_WITHIN,
  EXPECTED_SOURCE_LENGTH,
  EXPECTED_TEXT_LENGTH,
  FILE_BYTES,
  LISTED_CONTENT_LENGTH,
  MAX_WITHIN,
  QUERY_LENGTH,
  QUESTIONS_PER_TEST,
  SELECTED_AT_MOST,
  TITLE_LENGTH,
} from './limits.js';
export { DOCUMENTS_AT_ONCE, parseInChildProcess } from './parsing/document-parser.service.js';
export {
  type KnowledgeBaseView,
  knowledgePageView,
  type KnowledgePageView,
  knowledgePassageView,
  type KnowledgePassageView,
} from './presenters/knowledge-base.presenter.js';
export { knowledgeTestView, type KnowledgeTestView } from './presenters/knowledge-test.presenter.js';
export { scheduleProblem } from './refresh/refresh-schedule.js';
export { RefreshesService } from './refresh/refreshes.service.js';
export { DueTestsService } from './retrieval-tests/due-tests.service.js';
export { HeldRefreshesService } from './retrieval-tests/held-refreshes.service.js';
export {
  type KnowledgeTestSettings,
  TEST_RESULTS,
  type TestResultName,
} from './retrieval-tests/knowledge-tests.repository.js';
export { KnowledgeTestsService } from './retrieval-tests/knowledge-tests.service.js';
export type { TestReport, TestRunReport } from './retrieval-tests/test-runner.service.js';
export { AgentIndexCacheService } from './search/agent-index-cache.service.js';
export {
  type FoundChunk,
  type KnowledgePart,
  KnowledgeSearchRepository,
  type SearchedAgent,
} from './search/knowledge-search.repository.js';
export {
  type AgentKnowledge,
  DenseSearchService,
  KnowledgeSearchService,
  QUERIES_PER_SEARCH,
} from './search/knowledge-search.service.js';
export { type Matched, MATCHES } from './search/ranking.js';
export { scanWords, LETTER as WORD_OF_LETTERS } from './search/terms.js';
export { chunkText } from './text-passages.js';
export { MissingVectorsService } from './vectors/missing-vectors.service.js';
export { VectorBackfillService } from './vectors/vector-backfill.service.js';
export { VectorIndexService } from './vectors/vector-index.service.js';
export { PgvectorRepository } from './vectors/pgvector.repository.js';
export { PlainVectorStore } from './vectors/plain-vector-store.js';
export type { NearChunk, VectorStore } from './vectors/vector-store.js';
