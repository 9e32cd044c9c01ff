import { orAborted } from '@app/common';
import { LRUCache } from 'lru-cache';
import { canBeIndexed, EXACT_UP_TO, PgvectorRepository, type VectorModel } from './pgvector.repository.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

interface Counted {
  version: string;
  chunks: number;
}

const COUNTED_AGENTS = 10_000;

/** Vectors compared by pgvector 0.8 or newer, as half-precision numbers. */
export class PgvectorStore implements VectorStore {
  private readonly counted = new LRUCache<string, Counted>({ max: COUNTED_AGENTS });
  private readonly exactUpTo: number;

  /** @param exactUpTo chunks that are compared one by one; more go through the index. */
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

  private async find({ accountId, agentId }: VersionedAgent, chunks: number, query: Float32Array, limit: number) {
    const wanted = { ...this.model, accountId, agentId, query, limit };
    if (chunks <= this.exactUpTo) return this.repository.nearestExact(wanted);
    const near = await this.repository.nearestByIndex(wanted);
    // As many as asked, whatever the index gave up on.
    return near.length < Math.min(limit, chunks) ? this.repository.nearestExact(wanted) : near;
  }

  /** How many vectors the agent has decides how it is searched; counted once per version. */
  private async countOf({ accountId, agentId, version }: VersionedAgent): Promise<number> {
    const key = `${accountId}/${agentId}`;
    const known = this.counted.get(key);
    if (known?.version === version && known.chunks > 0) return known.chunks;
    const chunks = await this.repository.count(accountId, agentId, this.model.model);
    this.counted.set(key, { version, chunks });
    return chunks;
  }
}
