import { type Log, orAborted } from '@app/common';
import { LRUCache } from 'lru-cache';
import { AgentVectors } from './agent-vectors.js';
import type { ChunkVectors } from './chunk-vectors.repository.js';
import type { VectorModel } from './pgvector.repository.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

interface Kept {
  version: bigint;
  bytes: number;
  /** Undefined: too many for the memory. */
  value: AgentVectors | undefined;
}

interface Loading {
  version: bigint;
  vectors: Promise<AgentVectors | undefined>;
}

/** Vectors from any PostgreSQL, compared in this process: those of the agents asked last stay in memory. */
export class PlainVectorStore implements VectorStore {
  private readonly cache: LRUCache<string, Kept>;
  private readonly loading = new Map<string, Loading>();

  /** @param cacheBytes for the vectors of all agents that this process keeps. */
  constructor(
    private readonly repository: ChunkVectors,
    private readonly log: Log,
    private readonly model: VectorModel,
    private readonly cacheBytes: number,
  ) {
    this.cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
  }

  async nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const vectors = await orAborted(this.vectorsOf(agent), signal);
    return (await vectors?.nearest(query, limit, signal)) ?? [];
  }

  /** Those in memory when they are of this version or a newer one; one read serves all waiting searches. */
  private async vectorsOf(agent: VersionedAgent): Promise<AgentVectors | undefined> {
    const key = `${agent.accountId}/${agent.agentId}`;
    const version = BigInt(agent.version);
    const cached = this.cache.get(key);
    if (cached && cached.version >= version) return cached.value;
    const underWay = this.loading.get(key);
    if (underWay && underWay.version >= version) return underWay.vectors;
    const vectors = this.load(key, agent, version, cached?.value).finally(() => {
      if (this.loading.get(key)?.vectors === vectors) this.loading.delete(key);
    });
    this.loading.set(key, { version, vectors });
    return vectors;
  }

  /** @returns undefined when the memory is too small for them: such an agent is searched by words. */
  private async load(
    key: string,
    agent: VersionedAgent,
    version: bigint,
    before: AgentVectors | undefined,
  ): Promise<AgentVectors | undefined> {
    const scope = { accountId: agent.accountId, agentId: agent.agentId, ...this.model };
    const ids = await this.repository.visibleChunks(scope);
    const bytes = AgentVectors.bytesFor(ids.length, this.model.dimensions);
    if (bytes > this.cacheBytes) {
      this.warnTooMany(agent, ids.length, bytes);
      this.cache.set(key, { version, bytes: 0, value: undefined });
      return undefined;
    }
    const value = await AgentVectors.read(this.repository, scope, ids, before);
    this.cache.set(key, { version, bytes, value });
    return value;
  }

  private warnTooMany(agent: VersionedAgent, chunks: number, bytes: number): void {
    this.log.warn(
      { account_id: agent.accountId, agent_id: agent.agentId, chunks, bytes, cache_bytes: this.cacheBytes },
      'an agent has more vectors than fit into memory and is searched by words; pgvector has no such limit',
    );
  }
}
