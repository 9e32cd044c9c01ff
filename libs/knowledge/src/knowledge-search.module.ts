import { Module } from '@nestjs/common';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { AgentIndexCache } from './search/agent-index-cache.js';
import { DenseSearch, KnowledgeSearchService } from './search/knowledge-search.service.js';
import { KnowledgeSearchRepository } from './search/knowledge-search.repository.js';
import { SnapshotSearch } from './search/snapshot-search.service.js';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { ConfiguredVectorStore } from './vectors/configured-vector-store.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';

/** Search in knowledge bases for the API, calls and simulations. The indexes are kept in the memory of the process. */
@Module({
  imports: [EmbeddingsModule],
  providers: [
    KnowledgeSearchRepository,
    ChunkVectorsRepository,
    PgvectorRepository,
    ConfiguredVectorStore,
    AgentIndexCache,
    DenseSearch,
    KnowledgeSearchService,
    SnapshotSearch,
  ],
  exports: [KnowledgeSearchService, SnapshotSearch],
})
export class KnowledgeSearchModule {}
