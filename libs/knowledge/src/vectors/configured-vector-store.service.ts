import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { ChunkVectorsRepository } from './chunk-vectors.repository.js';
import { PgvectorStore } from './pgvector-store.js';
import { PgvectorRepository } from './pgvector.repository.js';
import { PlainVectorStore } from './plain-vector-store.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

const MB = 1024 * 1024;

/** Uses pgvector if a worker has created its table, else the plain store; decided once at the start of the process. */
@Injectable()
export class ConfiguredVectorStoreService implements VectorStore, OnModuleInit {
  private chosen: VectorStore | undefined;

  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly pgvector: PgvectorRepository,
    private readonly chunkVectors: ChunkVectorsRepository,
    @Inject(ENV) private readonly env: Pick<Env, 'KNOWLEDGE_CACHE_MB'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const { embedder } = this.embeddings;
    if (!embedder) return;
    const { model, dimensions } = embedder;
    const usesPgvector = await this.pgvector.isReady();
    this.log.info({ store: usesPgvector ? 'pgvector' : 'plain', model }, 'vector store selected');
    // The other half is for the lexical indexes, see AgentIndexCache.
    const cacheBytes = Math.floor((this.env.KNOWLEDGE_CACHE_MB * MB) / 2);
    this.chosen = usesPgvector
      ? new PgvectorStore(this.pgvector, { model, dimensions })
      : new PlainVectorStore(this.chunkVectors, this.log, { model, dimensions }, cacheBytes);
  }

  /** Returns nothing without an embedder. */
  nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    return this.chosen?.nearest(agent, query, limit, signal) ?? Promise.resolve([]);
  }
}
