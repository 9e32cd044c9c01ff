import { orAborted } from '@app/common';
import { inTransaction, rows, type Query, type Sql } from '@app/database';
import type { Pool } from 'pg';
import { canBeIndexed, EXACT_UP_TO, indexedExpression } from './pgvector-schema.js';
import type { NearChunk, VectorStore, VersionedAgent } from './vector-store.js';

export interface PgvectorStoreParts {
  pool: Pool;
  model: string;
  dimensions: number;
  /** Chunks that are compared one by one; more go through the index. */
  exactUpTo?: number;
}

interface Counted {
  version: string;
  chunks: number;
}

interface Row {
  chunk_id: string;
  distance: number;
}

const REMEMBERED_AGENTS = 10_000;
/** Rows that the index looks at before it gives up; the default of 20,000 ends before a small agent's rows in a large table. */
const MOST_SCANNED = 200_000;

const COUNT = {
  name: 'count-agent-vectors',
  text: 'SELECT count(*)::integer AS chunks FROM knowledge_vectors WHERE account_id = $1 AND agent_id = $2 AND model = $3',
};

/** Which rows a search may find; the same in both queries. */
const VISIBLE = `FROM knowledge_vectors v
    JOIN knowledge_bases b ON b.id = v.knowledge_base_id AND b.serving = v.generation AND b.is_active
  WHERE v.account_id = $1 AND v.agent_id = $2 AND b.account_id = $1`;

/** Vectors compared by pgvector 0.8 or newer, as half-precision numbers. */
export class PgvectorStore implements VectorStore {
  private readonly counted = new Map<string, Counted>();
  private readonly exactUpTo: number;
  private readonly exactText: string;
  private readonly indexedText: string;

  constructor(private readonly parts: PgvectorStoreParts) {
    const { model, dimensions } = parts;
    const { distance, where } = indexedExpression(model, dimensions);
    const measured = `v.${distance} <=> $3::halfvec(${dimensions})`;
    this.exactUpTo = canBeIndexed(dimensions) ? (parts.exactUpTo ?? EXACT_UP_TO) : Number.POSITIVE_INFINITY;
    // Materialised, the distances are sorted by value: the planner cannot turn this into a walk through the index.
    this.exactText = `WITH measured AS MATERIALIZED (SELECT v.chunk_id, ${measured} AS distance ${VISIBLE} AND v.${where})
      SELECT chunk_id, distance FROM measured ORDER BY distance LIMIT $4`;
    this.indexedText = `WITH near AS MATERIALIZED (
        SELECT v.chunk_id, ${measured} AS distance ${VISIBLE} AND v.${where} ORDER BY ${measured} LIMIT $4)
      SELECT chunk_id, distance FROM near ORDER BY distance`;
  }

  async nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const chunks = await orAborted(this.countOf(agent), signal);
    if (chunks === 0) return [];
    const values = [agent.accountId, agent.agentId, `[${query.join(',')}]`, limit];
    const found = await orAborted(this.find(chunks, limit, values), signal);
    return found.map(({ chunk_id, distance }) => ({ chunkId: chunk_id, similarity: 1 - distance }));
  }

  private async find(chunks: number, limit: number, values: unknown[]): Promise<Row[]> {
    const exact = (): Promise<Row[]> =>
      this.run(this.parts.pool, { name: 'vectors-exact', text: this.exactText, values });
    if (chunks <= this.exactUpTo) return exact();
    const near = await inTransaction(this.parts.pool, (tx) => this.throughIndex(tx, values));
    // As many as asked, whatever the index gave up on.
    return near.length < Math.min(limit, chunks) ? exact() : near;
  }

  /** Without iterative scans a filtered index gives 2 rows of 10: it filters what it found instead of going on. */
  private async throughIndex(tx: Sql, values: unknown[]): Promise<Row[]> {
    await tx.query(
      `SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true),
         set_config('hnsw.max_scan_tuples', '${MOST_SCANNED}', true)`,
    );
    return this.run(tx, { name: 'vectors-indexed', text: this.indexedText, values });
  }

  private run(sql: Sql, { values, ...statement }: Query): Promise<Row[]> {
    return rows<Row & Record<string, unknown>>(sql, statement, values);
  }

  /** How many vectors the agent has decides how it is searched; counted once per version. */
  private async countOf(agent: VersionedAgent): Promise<number> {
    const key = `${agent.accountId}/${agent.agentId}`;
    const known = this.counted.get(key);
    if (known?.version === agent.version && known.chunks > 0) return known.chunks;
    const [counted] = await rows<{ chunks: number }>(this.parts.pool, COUNT, [
      agent.accountId,
      agent.agentId,
      this.parts.model,
    ]);
    if (this.counted.size >= REMEMBERED_AGENTS) this.counted.clear();
    this.counted.set(key, { version: agent.version, chunks: counted?.chunks ?? 0 });
    return counted?.chunks ?? 0;
  }
}
