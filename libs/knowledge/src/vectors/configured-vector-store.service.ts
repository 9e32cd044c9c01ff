import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { ChunkVectorsRepository } from './chunk-vectors.repository.js';
import { PgvectorStore } from './pgvector-store.js';
import { PgvectorRepository, type VectorModel } from './pgvector.repository.js';
import { PlainVectorStore } from './plain-vector-store.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

const MB = 1024 * 1024;

interface ChosenStore {
  model: string;
  store: Promise<VectorStore>;
}

/** Uses pgvector if a worker has created its table, else the plain store; decided once for each model of the embedder. */
@Injectable()
export class ConfiguredVectorStoreService implements VectorStore, OnModuleInit {
  private chosen: ChosenStore | undefined;

  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly pgvector: PgvectorRepository,
    private readonly chunkVectors: ChunkVectorsRepository,
    @Inject(ENV) private readonly env: Pick<Env, 'KNOWLEDGE_CACHE_MB'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder) await this.storeOf(embedder);
  }

  /** Returns nothing without an embedder, and for a vector of another model than its current one. */
  async nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const { embedder } = this.embeddings;
    if (embedder?.dimensions !== query.length) return [];
    const store = await this.storeOf(embedder);
    return store.nearest(agent, query, limit, signal);
  }

  private storeOf({ model, dimensions }: VectorModel): Promise<VectorStore> {
    if (this.chosen?.model === model) return this.chosen.store;
    const store = this.choose({ model, dimensions });
    const chosen = { model, store };
    this.chosen = chosen;
    // The next search tries again.
    store.catch(() => {
      if (this.chosen === chosen) this.chosen = undefined;
    });
    return store;
  }

  private async choose({ model, dimensions }: VectorModel): Promise<VectorStore> {
    const usesPgvector = await this.pgvector.isReady();
    this.log.info({ store: usesPgvector ? 'pgvector' : 'plain', model }, 'vector store selected');
    if (usesPgvector) return new PgvectorStore(this.pgvector, { model, dimensions });
    // The other half is for the lexical indexes, see AgentIndexCache.
    const cacheBytes = Math.floor((this.env.KNOWLEDGE_CACHE_MB * MB) / 2);
    return new PlainVectorStore(this.chunkVectors, this.log, { model, dimensions }, cacheBytes);
  }
}
