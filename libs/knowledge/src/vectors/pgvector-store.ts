import { orAborted } from '@app/common';
import { LRUCache } from 'lru-cache';
import { canBeIndexed, EXACT_UP_TO, PgvectorRepository, type VectorModel } from './pgvector.repository.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

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
