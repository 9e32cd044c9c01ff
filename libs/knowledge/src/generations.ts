import { rows, type Sql } from '@app/database';
import type { PoolClient } from 'pg';
import type { Chunk } from './blocks.js';
import { CHUNKS_PER_AGENT } from './limits.js';

/** One build of a knowledge base's chunks. */
export interface Generation {
  accountId: number;
  agentId: number;
  knowledgeBaseId: number;
  generation: number;
}

/** A chunk with what `embedChunks` added; without a vector it is found by its words alone. */
export interface NewChunk extends Chunk {
  /** SHA-256 of what is embedded. */
  hash?: Buffer;
  /** float32, little endian. */
  embedding?: Buffer;
  /** Name and dimensions. */
  embeddingModel?: string;
}

/** What became known while a generation was built; what is absent stays as it is. */
export interface GenerationFacts {
  words: number;
  characters: number;
  etag?: string | null;
  lastModified?: string | null;
  contentHash?: Buffer;
}

/** The agent's passages together would be more than CHUNKS_PER_AGENT. */
export class AgentFull extends Error {
  constructor() {
    super(
      `The knowledge bases of one agent must not have more than ${CHUNKS_PER_AGENT.toLocaleString('en-US')} passages together.`,
    );
  }
}

/** Rows per statement: a few hundred KB of text. */
const BATCH = 500;

/** The knowledge base's row is locked against its deletion until the transaction ends; without it nothing is written. */
const INSERT = {
  name: 'insert-knowledge-chunks',
  text: `WITH target AS (
      SELECT id FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2 AND id = $3 AND generation = $4 FOR SHARE),
    written AS (
      INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, heading_path, page,
        first_row, last_row, start_offset, end_offset, tokens, hash, embedding, embedding_model)
      SELECT $1, $2, target.id, $4, c.ordinal, c.text, ARRAY(SELECT jsonb_array_elements_text(c.heading_path)), c.page,
        c.first_row, c.last_row, c.start_offset, c.end_offset, c.tokens, c.hash, c.embedding, c.embedding_model
        FROM target, unnest($5::integer[], $6::text[], $7::jsonb[], $8::integer[], $9::integer[], $10::integer[],
          $11::integer[], $12::integer[], $13::integer[], $14::bytea[], $15::bytea[], $16::text[])
          AS c (ordinal, text, heading_path, page, first_row, last_row, start_offset, end_offset, tokens, hash, embedding,
            embedding_model))
    SELECT id FROM target`,
};

/**
 * Adds chunks to a generation that is being built; searches do not see them before the swap. False: the generation is no
 * longer the newest or the knowledge base is gone, and nothing was written.
 */
export async function insertChunks(sql: Sql, place: Generation, chunks: readonly NewChunk[]): Promise<boolean> {
  const { accountId, agentId, knowledgeBaseId, generation } = place;
  for (let from = 0; from < chunks.length; from += BATCH) {
    const columns = columnsOf(chunks.slice(from, from + BATCH));
    const target = await rows(sql, INSERT, [accountId, agentId, knowledgeBaseId, generation, ...columns]);
    if (target.length === 0) return false;
  }
  return true;
}

const columnsOf = (chunks: readonly NewChunk[]): unknown[][] => [
  chunks.map((chunk) => chunk.ordinal),
  chunks.map((chunk) => chunk.text),
  chunks.map((chunk) => JSON.stringify(chunk.headingPath)),
  chunks.map((chunk) => chunk.page ?? null),
  chunks.map((chunk) => chunk.rows?.first ?? null),
  chunks.map((chunk) => chunk.rows?.last ?? null),
  chunks.map((chunk) => chunk.start),
  chunks.map((chunk) => chunk.end),
  chunks.map((chunk) => chunk.tokens),
  chunks.map((chunk) => chunk.hash ?? null),
  chunks.map((chunk) => chunk.embedding ?? null),
  chunks.map((chunk) => chunk.embeddingModel ?? null),
];

const SERVE = {
  name: 'serve-knowledge-generation',
  text: `UPDATE knowledge_bases b SET serving = b.generation, status = 'completed', stage = NULL, progress = 100,
      processing_error = NULL, error_code = NULL, lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL,
      word_count = $5, character_count = $6, etag = CASE WHEN $7 THEN $8 ELSE b.etag END,
      last_modified = CASE WHEN $9 THEN $10 ELSE b.last_modified END, content_hash = coalesce($11, b.content_hash),
      chunk_count = (SELECT count(*) FROM knowledge_chunks c WHERE c.knowledge_base_id = b.id AND c.generation = b.generation),
      updated_at = now()
    WHERE b.account_id = $1 AND b.agent_id = $2 AND b.id = $3 AND b.generation = $4`,
};
const DROP_OLDER = {
  name: 'drop-older-generations',
  text: 'DELETE FROM knowledge_chunks WHERE knowledge_base_id = $1 AND generation < $2',
};
const CHUNKS_OF_AGENT = {
  name: 'chunks-of-agent',
  text: 'SELECT coalesce(sum(chunk_count), 0)::integer AS chunks FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2',
};

/**
 * Lets searches see a generation that is complete instead of the one before, whose chunks are removed; the knowledge base is
 * `completed`. Runs inside the caller's transaction. False: superseded or deleted meanwhile. Throws AgentFull.
 */
export async function swapGeneration(tx: PoolClient, place: Generation, facts: GenerationFacts): Promise<boolean> {
  const { accountId, agentId, knowledgeBaseId, generation } = place;
  const known = [facts.words, facts.characters, ...given(facts.etag), ...given(facts.lastModified)];
  const values = [accountId, agentId, knowledgeBaseId, generation, ...known, facts.contentHash ?? null];
  const served = await tx.query({ ...SERVE, values });
  if (served.rowCount === 0) return false;
  await tx.query({ ...DROP_OLDER, values: [knowledgeBaseId, generation] });
  // The agent's row is locked from here on: of two swaps the second counts what the first has added.
  await raiseKnowledgeVersion(tx, accountId, agentId);
  const [agent] = await rows<{ chunks: number }>(tx, CHUNKS_OF_AGENT, [accountId, agentId]);
  if ((agent?.chunks ?? 0) > CHUNKS_PER_AGENT) throw new AgentFull();
  return true;
}

const given = (value: string | null | undefined): [boolean, string | null] => [value !== undefined, value ?? null];

const RAISE = {
  name: 'raise-knowledge-version',
  text: 'UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE account_id = $1 AND id = $2',
};

/**
 * Goes with every change of what a search of the agent may find, in its transaction: indexes in memory are of one version.
 * The agent's row is locked after that of the knowledge base, everywhere, so that no two transactions wait for each other.
 */
export async function raiseKnowledgeVersion(tx: Sql, accountId: number, agentId: number): Promise<void> {
  await tx.query({ ...RAISE, values: [accountId, agentId] });
}
