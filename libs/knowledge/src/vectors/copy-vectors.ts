import { rows, type Sql } from '@app/database';
import { vectorOf } from '../embed/float32.js';

/** Rows per statement: 200 x 1536 numbers are 2.4 MB as text. */
const PER_WRITE = 200;

export interface CopiedVectors {
  knowledgeBaseId: number;
  generation: number;
  model: string;
  dimensions: number;
}

const NOT_COPIED = {
  name: 'vectors-not-copied',
  text: `SELECT c.id, c.ordinal, c.embedding FROM knowledge_chunks c
    WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal > $5
      AND c.embedding_model = $3 AND length(c.embedding) = $4
      AND NOT EXISTS (SELECT FROM knowledge_vectors v WHERE v.chunk_id = c.id AND v.model = $3)
    ORDER BY c.ordinal LIMIT ${PER_WRITE}`,
};

// Locked against their deletion: a row that is gone is left out instead of failing the others.
const COPY = {
  name: 'copy-vectors',
  text: `INSERT INTO knowledge_vectors (chunk_id, account_id, agent_id, knowledge_base_id, generation, model, embedding)
    SELECT c.id, c.account_id, c.agent_id, c.knowledge_base_id, c.generation, $3, copied.embedding::halfvec
      FROM unnest($1::bigint[], $2::text[]) AS copied (id, embedding) JOIN knowledge_chunks c ON c.id = copied.id
      FOR KEY SHARE OF c
    ON CONFLICT (chunk_id) DO UPDATE SET model = excluded.model, embedding = excluded.embedding`,
};

/** Copies what a generation has of a model's vectors to where pgvector compares them. @returns how many were copied. */
export async function copyVectors(
  sql: Sql,
  { knowledgeBaseId, generation, model, dimensions }: CopiedVectors,
): Promise<number> {
  let copied = 0;
  for (let after = -1; ;) {
    const values = [knowledgeBaseId, generation, model, dimensions * 4, after];
    const batch = await rows<{ id: string; ordinal: number; embedding: Buffer }>(sql, NOT_COPIED, values);
    const last = batch.at(-1);
    if (!last) return copied;
    const texts = batch.map(({ embedding }) => `[${vectorOf(embedding).join(',')}]`);
    await rows(sql, COPY, [batch.map(({ id }) => id), texts, model]);
    copied += batch.length;
    after = last.ordinal;
  }
}
