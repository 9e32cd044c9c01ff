import { CooperativeYield, type Log, orAborted } from '@app/common';
import { LRUCache } from 'lru-cache';
import { vectorOf } from '../embed/embedder.js';
import type { ChunkVectors, VectorScope, VisibleChunks } from './chunk-vectors.repository.js';
import { SignCodes, VectorMatrix } from './vector-matrix.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';
import type { VectorModel } from './pgvector.repository.js';

/** Above this, sign codes preselect the compared rows: 20,000 x 384 take about 6 ms. */
const EXACT_UP_TO = 20_000;
/** Preselected rows, which are compared exactly: recall@10 of at least 0.99 on 100,000 (bench knowledge-vectors). */
const CANDIDATES = 3_000;
const PER_READ = 500;
const COPIED_PER_CHECK = 200;

/** An agent's vectors in memory, for one version of its knowledge. */
class AgentVectors {
  private constructor(
    private readonly ids: Float64Array,
    private readonly knowledgeBaseIds: Int32Array,
    private readonly matrix: VectorMatrix,
    private readonly codes: SignCodes | undefined,
  ) {}

  /** Bytes for `count` chunks: vectors, sign codes, ids and ids of knowledge bases. */
  static bytesFor(count: number, dimensions: number): number {
    return count * (dimensions * 4 + Math.ceil(dimensions / 32) * 4 + 12);
  }

  /** Reads the vectors that `before` does not contain. */
  static async read(
    repository: ChunkVectors,
    scope: VectorScope,
    { ids, knowledgeBaseIds }: VisibleChunks,
    before?: AgentVectors,
  ): Promise<AgentVectors> {
    const matrix = new VectorMatrix(ids.length, scope.dimensions);
    const missing = before ? await AgentVectors.copy(before, ids, matrix) : Array.from(ids.keys());
    const gone = new Set<number>();
    for (let from = 0; from < missing.length; from += PER_READ) {
      const places = missing.slice(from, from + PER_READ);
      const found = await repository.vectors(
        scope.accountId,
        places.map((place) => ids[place]),
      );
      for (const [i, place] of places.entries()) {
        const embedding = found[i];
        if (embedding?.length === scope.dimensions * 4) matrix.set(place, vectorOf(embedding));
        else gone.add(place);
      }
    }
    // Chunks deleted during the read keep zeros in the matrix, which match nothing, and no id.
    for (const place of gone) ids[place] = 0;
    const codes = ids.length > EXACT_UP_TO ? await SignCodes.of(matrix) : undefined;
    return new AgentVectors(ids, knowledgeBaseIds, matrix, codes);
  }

  /** `knowledgeBases`: compares only their chunks. */
  async nearest(
    query: Float32Array,
    limit: number,
    knowledgeBases?: readonly number[] | null,
    signal?: AbortSignal,
  ): Promise<NearChunk[]> {
    const selected = knowledgeBases ? this.rowsOf(new Set(knowledgeBases)) : undefined;
    const isLarge = (selected?.length ?? this.ids.length) > EXACT_UP_TO;
    const wanted = Math.max(CANDIDATES, limit * 20);
    const among = isLarge ? await this.codes?.candidates(query, wanted, signal, selected) : selected;
    const { rows, similarities } = await this.matrix.nearest(query, limit, among, signal);
    return rows
      .map((row, i) => ({ chunkId: String(this.ids[row]), similarity: similarities[i]! }))
      .filter(({ chunkId }) => chunkId !== '0');
  }

  private rowsOf(knowledgeBases: ReadonlySet<number>): Uint32Array {
    const rows: number[] = [];
    for (const [row, id] of this.knowledgeBaseIds.entries()) if (knowledgeBases.has(id)) rows.push(row);
    return Uint32Array.from(rows);
  }

  /** Copies common vectors; both lists of ids ascend. @returns the positions that are still empty. */
  private static async copy(from: AgentVectors, ids: Float64Array, into: VectorMatrix): Promise<number[]> {
    const missing: number[] = [];
    const pacing = new CooperativeYield();
    for (let place = 0, old = 0; place < ids.length; place++) {
      if (place % COPIED_PER_CHECK === 0 && pacing.due) await pacing.pause();
      const id = ids[place]!;
      while (old < from.ids.length && from.ids[old]! < id) old++;
      if (from.ids[old] === id) into.set(place, from.matrix.row(old));
      else missing.push(place);
    }
    return missing;
  }
}

interface CachedVectors {
  version: bigint;
  bytes: number;
  /** Undefined: too many vectors for the memory limit. */
  value: AgentVectors | undefined;
}

interface Loading {
  version: bigint;
  vectors: Promise<AgentVectors | undefined>;
}

/** Compares vectors from any PostgreSQL in this process; the most recently searched agents stay in memory. */
export class PlainVectorStore implements VectorStore {
  private readonly cache: LRUCache<string, CachedVectors>;
  private readonly loading = new Map<string, Loading>();

  /** @param cacheBytes memory limit for the vectors of all agents. */
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
    return (await vectors?.nearest(query, limit, agent.knowledgeBaseIds, signal)) ?? [];
  }

  /** The cached vectors of this version or a newer one; concurrent searches share one read. */
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

  /** @returns undefined if the vectors exceed the memory limit: the agent is then searched lexically only. */
  private async load(
    key: string,
    agent: VersionedAgent,
    version: bigint,
    before: AgentVectors | undefined,
  ): Promise<AgentVectors | undefined> {
    const scope = { accountId: agent.accountId, agentId: agent.agentId, ...this.model };
    const visible = await this.repository.visibleChunks(scope);
    const bytes = AgentVectors.bytesFor(visible.ids.length, this.model.dimensions);
    if (bytes > this.cacheBytes) {
      this.warnTooMany(agent, visible.ids.length, bytes);
      this.cache.set(key, { version, bytes: 0, value: undefined });
      return undefined;
    }
    const value = await AgentVectors.read(this.repository, scope, visible, before);
    this.cache.set(key, { version, bytes, value });
    return value;
  }

  private warnTooMany(agent: VersionedAgent, chunks: number, bytes: number): void {
    this.log.warn(
      { account_id: agent.accountId, agent_id: agent.agentId, chunks, bytes, cache_bytes: this.cacheBytes },
      "an agent's vectors exceed the memory limit, its search is lexical only; pgvector has no such limit",
    );
  }
}
