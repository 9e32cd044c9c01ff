import type { AgentOfAccount } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { getsVector } from '../limits.js';

export interface VectorScope extends AgentOfAccount {
  model: string;
  dimensions: number;
}

/** The reads of PlainVectorStore. */
export type ChunkVectors = Pick<ChunkVectorsRepository, 'visibleChunks' | 'vectors'>;

/** The searchable chunks with vectors of an agent, by ascending id. */
export interface VisibleChunks {
  ids: Float64Array;
  /** The knowledge base of each chunk. */
  knowledgeBaseIds: Int32Array;
}

/** A chunk with its vector. */
export interface ChunkVector {
  id: string;
  /** float32, little endian. */
  embedding: Buffer;
}

const NONE = Buffer.alloc(0);

/** Two values, 8 and 4 bytes per chunk: 100,000 rows would block the event loop for 100 ms. */
const VISIBLE = {
  name: 'chunks-with-vectors',
  text: `SELECT string_agg(int8send(c.id), ''::bytea ORDER BY c.id) AS ids,
      string_agg(int4send(b.id), ''::bytea ORDER BY c.id) AS bases
    FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
    JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
    WHERE l.account_id = $1 AND l.agent_id = $2 AND b.account_id = $1 AND b.is_active
      AND c.embedding_model = $3 AND length(c.embedding) = $4`,
};
const VECTORS = {
  name: 'vectors-of-chunks',
  text: `SELECT c.embedding FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
    LEFT JOIN knowledge_chunks c ON c.id = wanted.id AND c.account_id = $1 ORDER BY place`,
};

const GENERATION = {
  name: 'vectors-of-generation',
  text: `SELECT c.id, c.ordinal, c.embedding FROM knowledge_chunks c
    WHERE c.account_id = $1 AND c.knowledge_base_id = $2 AND c.generation = $3 AND c.ordinal > $6
      AND c.embedding_model = $4 AND length(c.embedding) = $5
    ORDER BY c.ordinal LIMIT 256`,
};

const WITHOUT = {
  name: 'first-chunks-without-vectors',
  text: `SELECT c.id, c.text, c.heading_path AS "headingPath" FROM knowledge_chunks c
    WHERE c.account_id = $1 AND c.knowledge_base_id = $2 AND c.generation = $3
      AND c.embedding_model IS DISTINCT FROM $4 AND ${getsVector('c')}
    ORDER BY c.ordinal LIMIT $5`,
};

/** Reads the vectors in `knowledge_chunks`, for a database without pgvector. Prepared SQL: an agent has up to 100,000 rows. */
@Injectable()
export class ChunkVectorsRepository {
  constructor(private readonly database: Database) {}

  /** The chunks with vectors, from which the required memory is computed before the vectors are read. */
  async visibleChunks(scope: VectorScope): Promise<VisibleChunks> {
    const values = [scope.accountId, scope.agentId, scope.model, scope.dimensions * 4];
    const [found] = await this.database.rows<{ ids: Buffer | null; bases: Buffer | null }>(VISIBLE, values);
    const idBytes = found?.ids ?? NONE;
    const baseBytes = found?.bases ?? NONE;
    const ids = new Float64Array(idBytes.length / 8);
    // Ids stay far below 2^53.
    for (let i = 0; i < ids.length; i++)
      ids[i] = idBytes.readUInt32BE(i * 8) * 2 ** 32 + idBytes.readUInt32BE(i * 8 + 4);
    const knowledgeBaseIds = Int32Array.from(ids, (_, i) => baseBytes.readInt32BE(i * 4));
    return { ids, knowledgeBaseIds };
  }

  /** The vectors of these chunks in this order; null if a chunk was deleted or has no vector. */
  async vectors(accountId: number, ids: readonly (number | undefined)[]): Promise<(Buffer | null)[]> {
    const found = await this.database.rows<{ embedding: Buffer | null }>(VECTORS, [accountId, ids]);
    return found.map(({ embedding }) => embedding);
  }

  /** The first chunks of a generation that should have a vector of the model and have none. */
  without(
    { accountId, model }: Pick<VectorScope, 'accountId' | 'model'>,
    { knowledgeBaseId, generation }: { knowledgeBaseId: number; generation: number },
    most: number,
  ): Promise<{ id: string; text: string; headingPath: string[] }[]> {
    return this.database.rows(WITHOUT, [accountId, knowledgeBaseId, generation, model, most]);
  }

  /** The vectors of a generation that may not be served, in batches. */
  async *ofGeneration(
    { accountId, model, dimensions }: Omit<VectorScope, 'agentId'>,
    { knowledgeBaseId, generation }: { knowledgeBaseId: number; generation: number },
  ): AsyncGenerator<ChunkVector[]> {
    const scope = [accountId, knowledgeBaseId, generation, model, dimensions * 4];
    for (let last = -1; ;) {
      const values = [...scope, last];
      const batch = await this.database.rows<ChunkVector & { ordinal: number }>(GENERATION, values);
      if (batch.length === 0) return;
      yield batch;
      last = batch.at(-1)!.ordinal;
    }
  }
}
