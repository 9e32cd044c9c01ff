import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { orAborted } from '@app/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../embed/embeddings.service.js';
import { canBeIndexed, EXACT_UP_TO, PgvectorRepository, type VectorModel } from './pgvector.repository.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

/** Maintains the copy of the vectors that pgvector searches; does nothing without pgvector. Used by workers. */
@Injectable()
export class VectorIndex implements OnModuleInit {
  private prepared: Promise<boolean> | undefined;

  constructor(
    private readonly pgvector: PgvectorRepository,
    @Inject(EmbeddingsService) private readonly embeddings: { readonly embedder: VectorModel | undefined },
  ) {}

  /** Creates the table if the database has pgvector. */
  async onModuleInit(): Promise<void> {
    if (this.embeddings.embedder) await this.isUsable();
  }

  /** Adds the vectors of a generation. Called before its swap, so that semantic search finds it from the start. */
  async add(place: { knowledgeBaseId: number; generation: number }): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.copy(place, embedder);
  }

  /** Creates the missing indexes; that of the model only if an agent is large enough for it. */
  async ensure(): Promise<void> {
    const { embedder } = this.embeddings;
    if (embedder && (await this.isUsable())) await this.pgvector.ensureIndexes(embedder);
  }

  private isUsable(): Promise<boolean> {
    return (this.prepared ??= this.pgvector.prepare());
  }
}

interface Counted {
  version: string;
  chunks: number;
}

/** Agents, and selections of their knowledge bases. */
const COUNTED = 10_000;

/** Searches with pgvector 0.8 or newer, which compares half-precision vectors. */
export class PgvectorStore implements VectorStore {
  private readonly counted = new LRUCache<string, Counted>({ max: COUNTED });
  private readonly exactUpTo: number;

  /** @param exactUpTo maximum number of chunks for an exact comparison; more use the index. */
  constructor(
    private readonly repository: PgvectorRepository,
    private readonly model: VectorModel,
    exactUpTo = EXACT_UP_TO,
  ) {
    this.exactUpTo = canBeIndexed(model) ? exactUpTo : Number.POSITIVE_INFINITY;
  }

  async nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const chunks = await orAborted(this.countOf(agent), signal);
    if (chunks === 0) return [];
    const found = await orAborted(this.find(agent, chunks, query, limit), signal);
    return found.map(({ chunk_id, distance }) => ({ chunkId: chunk_id, similarity: 1 - distance }));
  }

  private async find(agent: VersionedAgent, chunks: number, query: Float32Array, limit: number) {
    const wanted = { ...agent, ...this.model, query, limit };
    if (chunks <= this.exactUpTo) return this.repository.nearestExact(wanted);
    const near = await this.repository.nearestByIndex(wanted);
    // The index may return too few rows; the exact comparison returns as many as requested.
    return near.length < Math.min(limit, chunks) ? this.repository.nearestExact(wanted) : near;
  }

  /** The number of the searched vectors, which decides between both comparisons; counted once per version. */
  private async countOf(agent: VersionedAgent): Promise<number> {
    const { accountId, agentId, knowledgeBaseIds, version } = agent;
    const key = `${accountId}/${agentId}/${knowledgeBaseIds?.join() ?? 'all'}`;
    const known = this.counted.get(key);
    if (known?.version === version && known.chunks > 0) return known.chunks;
    const chunks = await this.repository.count(agent, this.model.model);
    this.counted.set(key, { version, chunks });
    return chunks;
  }
}
