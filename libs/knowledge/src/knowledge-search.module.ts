import { Module } from '@nestjs/common';
import { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { AgentIndexCacheService } from './search/agent-index-cache.service.js';
import { DenseSearchService, KnowledgeSearchService } from './search/knowledge-search.service.js';
import { KnowledgeSearchRepository } from './search/knowledge-search.repository.js';
import { SnapshotSearchService } from './search/snapshot-search.service.js';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { ConfiguredVectorStoreService } from './vectors/configured-vector-store.service.js';
import { PassageVectorsService } from './vectors/passage-vectors.service.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';

/** Search in knowledge bases for the API, calls and simulations. The indexes are kept in the memory of the process. */
@Module({
  imports: [EmbeddingsModule],
  providers: [
    KnowledgeSearchRepository,
    ChunkVectorsRepository,
    PgvectorRepository,
    ConfiguredVectorStoreService,
    AgentIndexCacheService,
    DenseSearchService,
    KnowledgeSearchService,
    EmbeddingCacheRepository,
    PassageVectorsService,
    SnapshotSearchService,
  ],
  exports: [KnowledgeSearchService, PassageVectorsService, SnapshotSearchService],
})
export class KnowledgeSearchModule {}
