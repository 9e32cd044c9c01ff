import { Module } from '@nestjs/common';
import { EmbeddingsModule } from './embed/embeddings.module.js';
import { AgentIndexes } from './search/agent-indexes.js';
import { DenseSearch } from './search/dense-search.js';
import { KnowledgeSearchRepository } from './search/knowledge-search.repository.js';
import { KnowledgeSearchService } from './search/knowledge-search.service.js';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { ConfiguredVectorStore } from './vectors/configured-vector-store.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';

/** Searches in knowledge bases: for the API, calls and simulations. Its indexes are in the memory of the process. */
@Module({
  imports: [EmbeddingsModule],
  providers: [
    KnowledgeSearchRepository,
    ChunkVectorsRepository,
    PgvectorRepository,
    ConfiguredVectorStore,
    AgentIndexes,
    DenseSearch,
    KnowledgeSearchService,
  ],
  exports: [KnowledgeSearchService],
})
export class KnowledgeSearchModule {}
