import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

export interface VectorScope {
  accountId: number;
  agentId: number;
  model: string;
  dimensions: number;
}

/** What PlainVectorStore reads. */
export type ChunkVectors = Pick<ChunkVectorsRepository, 'visibleChunks' | 'vectors'>;

/** Ids of the chunks that an agent's searches may find, ascending, as 8 bytes each: 100,000 rows would block the loop for 100 ms. */
const VISIBLE = {
  name: 'chunks-with-vectors',
  text: `SELECT string_agg(int8send(c.id), ''::bytea ORDER BY c.id) AS ids FROM knowledge_bases b
    JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
    WHERE b.account_id = $1 AND b.agent_id = $2 AND b.is_active AND c.embedding_model = $3 AND length(c.embedding) = $4`,
};
const VECTORS = {
  name: 'vectors-of-chunks',
  text: `SELECT c.embedding FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
    LEFT JOIN knowledge_chunks c ON c.id = wanted.id AND c.account_id = $1 ORDER BY place`,
};

/** The vectors beside the chunks, for a database without pgvector: up to 100,000 rows are read at once. */
@Injectable()
export class ChunkVectorsRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the chunks that have vectors; how much memory they will take is known before they are read. */
  async visibleChunks(scope: VectorScope): Promise<Float64Array> {
    const values = [scope.accountId, scope.agentId, scope.model, scope.dimensions * 4];
    const [found] = await this.database.rows<{ ids: Buffer | null }>(VISIBLE, values);
    const bytes = found?.ids ?? Buffer.alloc(0);
    const ids = new Float64Array(bytes.length / 8);
    // The database counts far below 2^53.
    for (let i = 0; i < ids.length; i++) ids[i] = bytes.readUInt32BE(i * 8) * 2 ** 32 + bytes.readUInt32BE(i * 8 + 4);
    return ids;
  }

  /** The vectors of these chunks in this order; null where a chunk is gone or has none. */
  async vectors(accountId: number, ids: readonly (number | undefined)[]): Promise<(Buffer | null)[]> {
    const found = await this.database.rows<{ embedding: Buffer | null }>(VECTORS, [accountId, ids]);
    return found.map(({ embedding }) => embedding);
  }
}
