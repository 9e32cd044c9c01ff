import { createHash } from 'node:crypto';
import type { AgentOfAccount, Log } from '@app/common';
import {
  Database,
  FEATURE_NOT_SUPPORTED,
  INSUFFICIENT_PRIVILEGE,
  rows,
  type Sql,
  UNDEFINED_FILE,
  UNDEFINED_OBJECT,
} from '@app/database';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { vectorOf } from '../embed/embedder.js';

/** Up to this many chunks, an exact comparison takes 2 ms at most and finds everything; above it, the index is used. */
export const EXACT_UP_TO = 20_000;
/** Limit of pgvector's HNSW for `halfvec`; longer vectors are compared exactly. */
const MAX_INDEXED_DIMENSIONS = 4_000;
/** Rows per statement: 200 x 1536 numbers are 2.4 MB as text. */
const COPIED_AT_ONCE = 200;
/** Rows that the index scans at most; the default of 20,000 ends before a small agent's rows in a large table. */
const MAX_SCANNED = 200_000;

/** A model's name and the length of its vectors. */
export interface VectorModel {
  model: string;
  dimensions: number;
}

/** The chunks of a generation, or those between two ordinals: after the first, up to the last. */
export interface ChunkRange {
  knowledgeBaseId: number;
  generation: number;
  after?: number;
  upTo?: number;
}

/** The searched vectors: those of an agent's knowledge bases, or of some of them. */
interface VectorsOf extends AgentOfAccount {
  knowledgeBaseIds?: readonly number[] | null;
}

interface VectorQuery extends VectorModel, VectorsOf {
  query: Float32Array;
  limit: number;
}

interface Distance extends Record<string, unknown> {
  chunk_id: string;
  distance: number;
}

/** Of the type integer. */
const MAX_ORDINAL = 2_147_483_647;

const CREATE = [
  'CREATE EXTENSION IF NOT EXISTS vector',
  `CREATE TABLE IF NOT EXISTS knowledge_vectors (
    chunk_id bigint PRIMARY KEY REFERENCES knowledge_chunks ON DELETE CASCADE,
    account_id integer NOT NULL,
    agent_id integer NOT NULL,
    knowledge_base_id integer NOT NULL,
    generation integer NOT NULL,
    model text NOT NULL,
    embedding halfvec NOT NULL
  )`,
  // Keeps up to 4,000 numbers in the row; in the TOAST table each would cost four more pages.
  'ALTER TABLE knowledge_vectors ALTER COLUMN embedding SET STORAGE MAIN, SET (toast_tuple_target = 8160)',
  'CREATE INDEX IF NOT EXISTS knowledge_vectors_agent ON knowledge_vectors (account_id, agent_id, model)',
];

/** The vectors of a knowledge base, whichever agents search it. */
const BASE_INDEX = {
  name: 'knowledge_vectors_base',
  definition: '(knowledge_base_id, generation, model)',
};

/** A missing privilege, a missing extension, or a release without halfvec. */
const UNAVAILABLE = [INSUFFICIENT_PRIVILEGE, FEATURE_NOT_SUPPORTED, UNDEFINED_FILE, UNDEFINED_OBJECT];
/** An index of many vectors takes minutes; the default limit of connections is half a minute. */
const INDEX_MS = 6 * 3_600_000;
/** An arbitrary constant for the advisory lock: workers that start at the same time create the table one after the other. */
const LOCK = 7_216_035;

const READY = `SELECT extversion AS version FROM pg_extension WHERE extname = 'vector' AND EXISTS (
  SELECT FROM pg_attribute WHERE attrelid = to_regclass('knowledge_vectors') AND attname = 'embedding' AND NOT attisdropped)`;

const NOT_COPIED = {
  name: 'vectors-not-copied',
  text: `SELECT c.id, c.ordinal, c.embedding FROM knowledge_chunks c
    WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal > $5 AND c.ordinal <= $6
      AND c.embedding_model = $3 AND length(c.embedding) = $4
      AND NOT EXISTS (SELECT FROM knowledge_vectors v WHERE v.chunk_id = c.id AND v.model = $3)
    ORDER BY c.ordinal LIMIT ${COPIED_AT_ONCE}`,
};

// Locks the chunks against deletion: deleted rows are skipped instead of failing the statement.
const COPY = {
  name: 'copy-vectors',
  text: `INSERT INTO knowledge_vectors (chunk_id, account_id, agent_id, knowledge_base_id, generation, model, embedding)
    SELECT c.id, c.account_id, c.agent_id, c.knowledge_base_id, c.generation, $3, copied.embedding::halfvec
      FROM unnest($1::bigint[], $2::text[]) AS copied (id, embedding) JOIN knowledge_chunks c ON c.id = copied.id
      FOR KEY SHARE OF c
    ON CONFLICT (chunk_id) DO UPDATE SET model = excluded.model, embedding = excluded.embedding`,
};

const COUNT = {
  name: 'count-agent-vectors',
  text: `SELECT count(*)::integer AS chunks FROM knowledge_base_agents l JOIN knowledge_vectors v ON v.knowledge_base_id = l.knowledge_base_id
    WHERE l.account_id = $1 AND l.agent_id = $2 AND ($3::integer[] IS NULL OR l.knowledge_base_id = ANY ($3))
      AND v.account_id = $1 AND v.model = $4`,
};

const HAS_LARGE_AGENT = `SELECT 1 FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
  WHERE b.vectors_model = $1 AND b.serving IS NOT NULL GROUP BY l.agent_id HAVING sum(b.chunk_count) > ${EXACT_UP_TO} LIMIT 1`;

/** The searchable rows, for both queries. */
const VISIBLE = `FROM knowledge_vectors v
    JOIN knowledge_bases b ON b.id = v.knowledge_base_id AND b.serving = v.generation AND b.is_active
    JOIN knowledge_base_agents l ON l.knowledge_base_id = v.knowledge_base_id
  WHERE v.account_id = $1 AND b.account_id = $1 AND l.account_id = $1 AND l.agent_id = $2
    AND ($3::integer[] IS NULL OR l.knowledge_base_id = ANY ($3))`;

/** The table of pgvector, created by a worker if the database has the extension, and its searches. */
@Injectable()
export class PgvectorRepository {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Whether our table exists and pgvector supports iterative scans of a filtered index (0.8). */
  async isReady(sql: Sql = this.database.pool): Promise<boolean> {
    const [found] = await rows<{ version: string }>(sql, { text: READY });
    const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number);
    return major > 0 || minor >= 8;
  }

  /**
   * Creates the table if the database has pgvector. A missing extension or privilege is not an error: the plain store is used.
   * @returns whether the table exists.
   */
  async prepare(): Promise<boolean> {
    if (await this.isReady()) return true;
    try {
      await this.database.transaction((tx) => this.createAll(tx));
    } catch (err) {
      const { code = '' } = err as { code?: string };
      if (!UNAVAILABLE.includes(code)) throw err;
      this.log.info({ code }, 'pgvector is not available: vectors are compared in the processes');
      return false;
    }
    return this.isReady();
  }

  private async createAll(tx: Sql): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if (await this.isReady(tx)) return;
    for (const statement of CREATE) await tx.query(statement);
    await tx.query(`CREATE INDEX ${BASE_INDEX.name} ON knowledge_vectors ${BASE_INDEX.definition}`);
    // A new table is empty: all vectors are copied again.
    await tx.query(
      `UPDATE knowledge_bases SET vectors_generation = NULL, vectors_ordinal = -1, vectors_backlog = true
        WHERE vectors_generation IS NOT NULL`,
    );
  }

  /** Copies a generation's vectors of a model into the table of pgvector. @returns the number of copied vectors. */
  async copy(
    { knowledgeBaseId, generation, after: first = -1, upTo = MAX_ORDINAL }: ChunkRange,
    { model, dimensions }: VectorModel,
  ): Promise<number> {
    let copied = 0;
    for (let after = first; ;) {
      const values = [knowledgeBaseId, generation, model, dimensions * 4, after, upTo];
      const batch = await this.database.rows<{ id: string; ordinal: number; embedding: Buffer }>(NOT_COPIED, values);
      const last = batch.at(-1);
      if (!last) return copied;
      const texts = batch.map(({ embedding }) => `[${vectorOf(embedding).join(',')}]`);
      await this.database.rows(COPY, [batch.map(({ id }) => id), texts, model]);
      copied += batch.length;
      after = last.ordinal;
    }
  }

  /**
   * Creates missing indexes without blocking writes: that of the knowledge bases, which tables of earlier releases do not have, and the
   * HNSW index of a model once an agent has more than 20,000 chunks: installations without such an agent avoid its cost per write (1-3
   * ms). Uses a connection without a statement timeout.
   */
  async ensureIndexes(model: VectorModel): Promise<void> {
    const client = await this.database.pool.connect();
    // A checked-out client emits 'error' when the connection is lost; the running query fails as well.
    const onError = (): void => undefined;
    client.on('error', onError);
    try {
      await client.query('SET statement_timeout = 0');
      await createIndex(client, BASE_INDEX);
      await createModelIndex(client, model);
      await client.query('RESET statement_timeout');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    } finally {
      client.off('error', onError);
    }
  }

  async count({ accountId, agentId, knowledgeBaseIds }: VectorsOf, model: string): Promise<number> {
    const values = [accountId, agentId, knowledgeBaseIds ?? null, model];
    const [counted] = await this.database.rows<{ chunks: number }>(COUNT, values);
    return counted?.chunks ?? 0;
  }

  nearestExact(query: VectorQuery): Promise<Distance[]> {
    const { measured, where } = comparison(query);
    // MATERIALIZED forces a sort by value: the planner cannot use the index instead.
    const text = `WITH measured AS MATERIALIZED (SELECT v.chunk_id, ${measured} AS distance ${VISIBLE} AND v.${where})
      SELECT chunk_id, distance FROM measured ORDER BY distance LIMIT $5`;
    return this.database.rows<Distance>({ name: 'vectors-exact', text }, valuesOf(query));
  }

  /** Uses iterative scans: without them, the filtered index returns 2 rows of 10, because it filters a fixed number of rows. */
  nearestByIndex(query: VectorQuery): Promise<Distance[]> {
    const { measured, where } = comparison(query);
    const text = `WITH near AS MATERIALIZED (
        SELECT v.chunk_id, ${measured} AS distance ${VISIBLE} AND v.${where} ORDER BY ${measured} LIMIT $5)
      SELECT chunk_id, distance FROM near ORDER BY distance`;
    return this.database.transaction(async (tx) => {
      await tx.query(
        `SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true),
           set_config('hnsw.max_scan_tuples', '${MAX_SCANNED}', true)`,
      );
      return this.database.rows<Distance>({ name: 'vectors-indexed', text }, valuesOf(query), tx);
    });
  }
}

export const canBeIndexed = ({ dimensions }: VectorModel): boolean => dimensions <= MAX_INDEXED_DIMENSIONS;

/** The expression that must be identical in the queries and in the index, so that the index is used. */
function buildIndexedExpression({ model, dimensions }: VectorModel): { distance: string; where: string } {
  return { distance: `embedding::halfvec(${dimensions})`, where: `model = '${model.replaceAll("'", "''")}'` };
}

function comparison(model: VectorModel): { measured: string; where: string } {
  const { distance, where } = buildIndexedExpression(model);
  return { measured: `v.${distance} <=> $4::halfvec(${model.dimensions})`, where };
}

const valuesOf = ({ accountId, agentId, knowledgeBaseIds, query, limit }: VectorQuery): unknown[] => [
  accountId,
  agentId,
  knowledgeBaseIds ?? null,
  `[${query.join(',')}]`,
  limit,
];

async function createModelIndex(sql: Sql, model: VectorModel): Promise<void> {
  if (!canBeIndexed(model) || (await rows(sql, { text: HAS_LARGE_AGENT }, [model.model])).length === 0) return;
  const name = `knowledge_vectors_${createHash('sha256').update(model.model).digest('hex').slice(0, 16)}`;
  const { distance, where } = buildIndexedExpression(model);
  await createIndex(sql, { name, definition: `USING hnsw ((${distance}) halfvec_cosine_ops) WHERE ${where}` });
}

async function createIndex(sql: Sql, { name, definition }: { name: string; definition: string }): Promise<void> {
  const state = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)';
  const [index] = await rows<{ valid: boolean }>(sql, { text: state }, [name]);
  if (index?.valid) return;
  // An interrupted build leaves an invalid index with this name, which is never used.
  if (index) await rows(sql, { text: `DROP INDEX CONCURRENTLY ${name}`, query_timeout: INDEX_MS });
  await rows(sql, {
    text: `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON knowledge_vectors ${definition}`,
    query_timeout: INDEX_MS,
  });
}
