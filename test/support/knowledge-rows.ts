import { inTransaction } from '@app/database';
import { type Generation, KnowledgeChunksRepository, type NewChunk } from '@app/knowledge';
import type { Pool } from 'pg';
import { databaseOver } from './database-over.js';

export interface AgentOf {
  accountId: number;
  agentId: number;
}

/** A chunk, with a vector and its model if it has one from the start. */
export interface StoredChunk extends NewChunk {
  /** float32, little endian. */
  embedding?: Buffer;
  embeddingModel?: string | undefined;
}

export const chunksIn = (pool: Pool): KnowledgeChunksRepository => new KnowledgeChunksRepository(databaseOver(pool));

/** The row of a pending knowledge base without chunks. */
export async function aKnowledgeBase(pool: Pool, agent: AgentOf): Promise<number> {
  const text = `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, next_attempt_at)
    VALUES ($1, $2, 'Handbook', 'text', now() + interval '1 day') RETURNING id`;
  const { rows } = await pool.query<{ id: number }>(text, [agent.accountId, agent.agentId]);
  return rows[0]?.id ?? 0;
}

/** Begins a generation and inserts its chunks, which are invisible to searches. */
export async function aGeneration(
  pool: Pool,
  agent: AgentOf,
  knowledgeBaseId: number,
  chunks: readonly StoredChunk[],
): Promise<Generation> {
  const next = 'UPDATE knowledge_bases SET generation = generation + 1 WHERE id = $1 RETURNING generation';
  const { rows } = await pool.query<{ generation: number }>(next, [knowledgeBaseId]);
  const place = { ...agent, knowledgeBaseId, generation: rows[0]?.generation ?? 0 };
  if (!(await chunksIn(pool).insert(place, chunks))) throw new Error('The chunks were not written.');
  const store = `UPDATE knowledge_chunks c SET embedding = made.embedding, embedding_model = made.model
      FROM unnest($3::integer[], $4::bytea[], $5::text[]) AS made (ordinal, embedding, model)
     WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal = made.ordinal`;
  const embedded = chunks.filter(({ embedding }) => embedding);
  const columns = [
    embedded.map(({ ordinal }) => ordinal),
    embedded.map(({ embedding }) => embedding),
    embedded.map(({ embeddingModel }) => embeddingModel),
  ];
  if (embedded.length > 0) await pool.query(store, [knowledgeBaseId, place.generation, ...columns]);
  return place;
}

export async function serve(pool: Pool, place: Generation): Promise<void> {
  const swapped = await inTransaction(pool, (tx) => chunksIn(pool).swap(place, { words: 0, characters: 0 }, tx));
  if (!swapped) throw new Error('The generation was not served.');
}

/** Shares a knowledge base with an agent, as its version says. */
export async function share(pool: Pool, knowledgeBaseId: number, { accountId, agentId }: AgentOf): Promise<void> {
  const link = 'INSERT INTO knowledge_base_agents (knowledge_base_id, account_id, agent_id) VALUES ($1, $2, $3)';
  await inTransaction(pool, async (tx) => {
    await tx.query(link, [knowledgeBaseId, accountId, agentId]);
    await chunksIn(pool).raiseVersion({ accountId, knowledgeBaseId }, tx);
  });
}

export async function versionOf(pool: Pool, { agentId }: AgentOf): Promise<string> {
  const text = 'SELECT knowledge_version AS version FROM agents WHERE id = $1';
  return (await pool.query<{ version: string }>(text, [agentId])).rows[0]?.version ?? '';
}

/** Chunks with only a text, and a vector with its model if given. */
export const chunksOf = (
  texts: readonly string[],
  vectors: readonly Float32Array[] = [],
  model?: string,
): StoredChunk[] =>
  texts.map((text, ordinal) => {
    const vector = vectors[ordinal];
    return {
      ordinal,
      text,
      headingPath: [],
      start: 0,
      end: text.length,
      tokens: 1,
      ...(vector && {
        embedding: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
        embeddingModel: model,
      }),
    };
  });
