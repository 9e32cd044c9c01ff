import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { CrawlPageReader } from './crawl/crawl-page.js';
import { CrawlPagesRepository } from './crawl/crawl-pages.repository.js';
import { CrawlPipeline } from './crawl/crawl-pipeline.js';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { PageFetcher } from './fetch/fetch-page.js';
import { DocumentClaimsRepository } from './ingest/document-claims.repository.js';
import { DocumentEmbedding, DocumentPipeline, DocumentSource } from './ingest/document-pipeline.js';
import { DocumentIngestService } from './ingest/document-ingest.service.js';
import { DocumentLeases } from './ingest/document-lease.js';
import { RefreshGuard } from './ingest/refresh-guard.js';
import { ScratchFolder } from './ingest/scratch-folder.js';
import { KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { KnowledgeTestsModule } from './knowledge-tests.module.js';
import { DocumentParser } from './parsing/document-parser.js';
import { RefreshesRepository } from './refresh/refreshes.repository.js';
import { RefreshesService } from './refresh/refreshes.service.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';
import { VectorBackfillRepository } from './vectors/vector-backfill.repository.js';
import { VectorBackfill } from './vectors/vector-backfill.js';
import { VectorIndex } from './vectors/pgvector-store.js';

/**
 * The document pipeline of a worker: claims, fetches, parses, chunks and embeds documents, and adds missing vectors.
 * `DocumentIngestService.start()` starts it. Queue jobs only wake it; the database decides which document is next.
 */
@Module({
  imports: [AuditModule, EmbeddingsModule, KnowledgeTestsModule],
  providers: [
    KnowledgeChunksRepository,
    DocumentClaimsRepository,
    DocumentLeases,
    PageFetcher,
    DocumentSource,
    DocumentParser,
    ScratchFolder,
    PgvectorRepository,
    VectorIndex,
    VectorBackfillRepository,
    VectorBackfill,
    DocumentEmbedding,
    RefreshGuard,
    DocumentPipeline,
    CrawlPagesRepository,
    CrawlPageReader,
    CrawlPipeline,
    DocumentIngestService,
    RefreshesRepository,
    RefreshesService,
  ],
  exports: [DocumentIngestService, RefreshesService, EmbeddingsModule, KnowledgeTestsModule],
})
export class DocumentPipelineModule {}
