import { type Log, orAborted } from '@app/common';
import type { Sql } from '@app/database';
import { AgentCache } from './agent-cache.js';
import { AgentVectors, visibleChunks } from './agent-vectors.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

export interface PlainStoreParts {
  sql: Sql;
  log: Log;
  model: string;
  dimensions: number;
  /** For the vectors of all agents that this process keeps. */
  cacheBytes: number;
}

interface Loading {
  version: bigint;
  vectors: Promise<AgentVectors | undefined>;
}

/** Vectors from any PostgreSQL, compared in this process: those of the agents asked last stay in memory. */
export class PlainVectorStore implements VectorStore {
  private readonly cache: AgentCache<AgentVectors | undefined>;
  private readonly loading = new Map<string, Loading>();

  constructor(private readonly parts: PlainStoreParts) {
    this.cache = new AgentCache(parts.cacheBytes);
  }

  async nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const vectors = await orAborted(this.vectorsOf(agent), signal);
    return (await vectors?.nearest(query, limit, signal)) ?? [];
  }

  /** Those in memory when they are of this version or a newer one; one reading serves all who wait for it. */
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
    const { sql, model, dimensions, cacheBytes } = this.parts;
    const scope = { accountId: agent.accountId, agentId: agent.agentId, model, dimensions };
    const ids = await visibleChunks(sql, scope);
    const bytes = AgentVectors.bytesFor(ids.length, dimensions);
    if (bytes > cacheBytes) {
      this.tellTooMany(agent, ids.length, bytes);
      this.cache.put(key, { version, bytes: 0, value: undefined });
      return undefined;
    }
    const value = await AgentVectors.read(sql, scope, ids, before);
    this.cache.put(key, { version, bytes, value });
    return value;
  }

  private tellTooMany(agent: VersionedAgent, chunks: number, bytes: number): void {
    this.parts.log.warn(
      { account_id: agent.accountId, agent_id: agent.agentId, chunks, bytes, cache_bytes: this.parts.cacheBytes },
      'an agent has more vectors than fit into memory and is searched by words; pgvector has no such limit',
    );
  }
}
