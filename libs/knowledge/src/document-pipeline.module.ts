import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { CrawlPageReaderService } from './crawl/crawl-page-reader.service.js';
import { CrawlPagesRepository } from './crawl/crawl-pages.repository.js';
import { CrawlPipelineService } from './crawl/crawl-pipeline.service.js';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { PageFetcherService } from './fetch/page-fetcher.service.js';
import { DocumentBacklogRepository } from './ingest/document-backlog.repository.js';
import { DocumentClaimsRepository } from './ingest/document-claims.repository.js';
import { DocumentPipelineService, DocumentSourceService } from './ingest/document-pipeline.service.js';
import { DocumentIngestService } from './ingest/document-ingest.service.js';
import { DocumentLeasesService } from './ingest/document-leases.service.js';
import { RefreshGuardService } from './ingest/refresh-guard.service.js';
import { ScratchFolderService } from './ingest/scratch-folder.service.js';
import { KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { KnowledgeBasesModule } from './knowledge-bases.module.js';
import { KnowledgeSearchModule } from './knowledge-search.module.js';
import { KnowledgeTestsModule } from './knowledge-tests.module.js';
import { DocumentParserService } from './parsing/document-parser.service.js';
import { RefreshesRepository } from './refresh/refreshes.repository.js';
import { RefreshesService } from './refresh/refreshes.service.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';
import { VectorAnnouncementsService } from './vectors/vector-announcements.service.js';
import { VectorBackfillRepository } from './vectors/vector-backfill.repository.js';
import { VectorBackfillService } from './vectors/vector-backfill.service.js';
import { VectorIndexService } from './vectors/vector-index.service.js';

/**
 * The document pipeline of a worker: claims, fetches, parses and chunks documents, and adds their vectors.
 * The jobs of the queues `documents` and `vectors` say how often; the database decides which document is next.
 */
@Module({
  imports: [AuditModule, EmbeddingsModule, KnowledgeBasesModule, KnowledgeSearchModule, KnowledgeTestsModule],
  providers: [
    KnowledgeChunksRepository,
    DocumentBacklogRepository,
    DocumentClaimsRepository,
    DocumentLeasesService,
    PageFetcherService,
    DocumentSourceService,
    DocumentParserService,
    ScratchFolderService,
    PgvectorRepository,
    VectorIndexService,
    VectorBackfillRepository,
    VectorAnnouncementsService,
    VectorBackfillService,
    RefreshGuardService,
    DocumentPipelineService,
    CrawlPagesRepository,
    CrawlPageReaderService,
    CrawlPipelineService,
    DocumentIngestService,
    RefreshesRepository,
    RefreshesService,
  ],
  exports: [
    DocumentBacklogRepository,
    DocumentIngestService,
    RefreshesService,
    VectorBackfillService,
    EmbeddingsModule,
    KnowledgeTestsModule,
  ],
})
export class DocumentPipelineModule {}
