import { createHash } from 'node:crypto';
import type { Log } from '@app/common';
import { inTransaction, rows, type Sql } from '@app/database';
import type { Pool } from 'pg';

/** Up to it an exact comparison takes 2 ms and less and finds all; above it the index is asked. */
export const EXACT_UP_TO = 20_000;
/** What HNSW of pgvector can index as `halfvec`; longer ones are compared exactly. */
const MOST_INDEXED_DIMENSIONS = 4_000;

const STATEMENTS = [
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
  // Up to 4,000 numbers stay in the row; fetched from the side table each would cost four more pages.
  'ALTER TABLE knowledge_vectors ALTER COLUMN embedding SET STORAGE MAIN, SET (toast_tuple_target = 8160)',
  'CREATE INDEX IF NOT EXISTS knowledge_vectors_agent ON knowledge_vectors (account_id, agent_id, model)',
];

/** No right to create it, no such extension on the server, or one so old that it has no halfvec. */
const NOT_FOR_US = ['42501', '0A000', '58P01', '42704'];
/** An index of many vectors takes minutes; the connections' own limit is half a minute. */
const INDEX_MS = 6 * 3_600_000;
/** Any constant: workers that start together make the table one after the other. */
const LOCK = 7_216_035;

/**
 * Makes the table for pgvector where the database has it, at the start of a worker. That it has not, or not for us, is no fault:
 * the plain store needs nothing. @returns whether the table is there.
 */
export async function preparePgvector(pool: Pool, log: Log): Promise<boolean> {
  if (await pgvectorIsReady(pool)) return true;
  try {
    await inTransaction(pool, createAll);
  } catch (err) {
    const { code = '' } = err as { code?: string };
    if (!NOT_FOR_US.includes(code)) throw err;
    log.info({ code }, 'the database has no pgvector for us: vectors are compared in the processes');
    return false;
  }
  return pgvectorIsReady(pool);
}

async function createAll(tx: Sql): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  if (await pgvectorIsReady(tx)) return;
  for (const statement of STATEMENTS) await tx.query(statement);
  // A new table is empty: all that has vectors is copied again.
  await tx.query('UPDATE knowledge_bases SET vectors_generation = NULL WHERE vectors_generation IS NOT NULL');
}

/** Whether pgvector is there in a release that can go on with a filtered index (0.8), and our table. */
export async function pgvectorIsReady(sql: Sql): Promise<boolean> {
  const [found] = await rows<{ version: string }>(sql, {
    text: `SELECT extversion AS version FROM pg_extension WHERE extname = 'vector' AND EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = to_regclass('knowledge_vectors') AND attname = 'embedding' AND NOT attisdropped)`,
  });
  const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number);
  return major > 0 || minor >= 8;
}

/** The part of the queries and of the index that must be spelled alike for the index to be used. */
export function indexedExpression(model: string, dimensions: number): { distance: string; where: string } {
  return { distance: `embedding::halfvec(${dimensions})`, where: `model = '${model.replaceAll("'", "''")}'` };
}

const indexName = (model: string): string =>
  `knowledge_vectors_${createHash('sha256').update(model).digest('hex').slice(0, 16)}`;

export const canBeIndexed = (dimensions: number): boolean => dimensions <= MOST_INDEXED_DIMENSIONS;

/**
 * Makes the HNSW index of a model once an agent has more than 20,000 chunks, beside those who write: an installation without
 * such an agent is spared what the index costs each write (1-3 ms). On a connection of its own without a time limit for statements.
 */
export async function ensureIndex(sql: Sql, model: string, dimensions: number): Promise<boolean> {
  if (!canBeIndexed(dimensions) || !(await hasLargeAgent(sql, model))) return false;
  const name = indexName(model);
  const state = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)';
  const [index] = await rows<{ valid: boolean }>(sql, { text: state }, [name]);
  if (index?.valid) return true;
  // What a process that was ended in the middle leaves behind has the name, and is never used.
  if (index) await rows(sql, { text: `DROP INDEX CONCURRENTLY ${name}`, query_timeout: INDEX_MS });
  const { distance, where } = indexedExpression(model, dimensions);
  await rows(sql, {
    text: `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON knowledge_vectors USING hnsw ((${distance}) halfvec_cosine_ops) WHERE ${where}`,
    query_timeout: INDEX_MS,
  });
  return true;
}

async function hasLargeAgent(sql: Sql, model: string): Promise<boolean> {
  const large = `SELECT 1 FROM knowledge_bases WHERE vectors_model = $1 AND serving IS NOT NULL
    GROUP BY account_id, agent_id HAVING sum(chunk_count) > ${EXACT_UP_TO} LIMIT 1`;
  return (await rows(sql, { text: large }, [model])).length > 0;
}
