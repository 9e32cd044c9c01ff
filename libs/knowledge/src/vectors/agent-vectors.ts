import { setImmediate as yieldLoop } from 'node:timers/promises';
import { rows, type Sql } from '@app/database';
import { vectorOf } from '../embed/float32.js';
import { SignCodes } from './sign-codes.js';
import { VectorMatrix } from './vector-matrix.js';
import type { NearChunk } from './vector-store.js';

/** Above it bits choose what is compared: 20,000 x 384 take about 6 ms. */
export const EXACT_UP_TO = 20_000;
/** Compared exactly after that: recall@10 of 0.99 and better on 100,000 (bench knowledge-vectors). */
const CANDIDATES = 3_000;
const PER_READ = 500;
const COPIED_PER_TURN = 2_000;

/** What an agent's searches may find: ids of chunks, ascending, as 8 bytes each: 100,000 rows would block the loop for 100 ms. */
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

export interface VectorScope {
  accountId: number;
  agentId: number;
  model: string;
  dimensions: number;
}

/** The ids of the chunks that have vectors; what memory they will take is known before they are read. */
export async function visibleChunks(sql: Sql, scope: VectorScope): Promise<Float64Array> {
  const values = [scope.accountId, scope.agentId, scope.model, scope.dimensions * 4];
  const [found] = await rows<{ ids: Buffer | null }>(sql, VISIBLE, values);
  const bytes = found?.ids ?? Buffer.alloc(0);
  const ids = new Float64Array(bytes.length / 8);
  // The database counts far below 2^53.
  for (let i = 0; i < ids.length; i++) ids[i] = bytes.readUInt32BE(i * 8) * 2 ** 32 + bytes.readUInt32BE(i * 8 + 4);
  return ids;
}

/** An agent's vectors in memory, as one version of its knowledge has them. */
export class AgentVectors {
  private constructor(
    private readonly ids: Float64Array,
    private readonly matrix: VectorMatrix,
    private readonly codes: SignCodes | undefined,
  ) {}

  /** Bytes for `count` chunks: the vectors, their bits and their ids. */
  static bytesFor(count: number, dimensions: number): number {
    return count * (dimensions * 4 + Math.ceil(dimensions / 32) * 4 + 8);
  }

  /** Reads vectors, except those that `before` has. */
  static async read(sql: Sql, scope: VectorScope, ids: Float64Array, before?: AgentVectors): Promise<AgentVectors> {
    const matrix = new VectorMatrix(ids.length, scope.dimensions);
    const missing = before ? await AgentVectors.copy(before, ids, matrix) : Array.from(ids.keys());
    const gone = new Set<number>();
    for (let from = 0; from < missing.length; from += PER_READ) {
      const places = missing.slice(from, from + PER_READ);
      const values = [scope.accountId, places.map((place) => ids[place])];
      const found = await rows<{ embedding: Buffer | null }>(sql, VECTORS, values);
      for (const [i, place] of places.entries()) {
        const embedding = found[i]?.embedding;
        if (embedding?.length === scope.dimensions * 4) matrix.set(place, vectorOf(embedding));
        else gone.add(place);
      }
    }
    // Deleted while they were read: zeros in the matrix, which are like nothing, and no id.
    for (const place of gone) ids[place] = 0;
    return new AgentVectors(ids, matrix, ids.length > EXACT_UP_TO ? await SignCodes.of(matrix) : undefined);
  }

  async nearest(query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]> {
    const among = await this.codes?.candidates(query, Math.max(CANDIDATES, limit * 20), signal);
    const { rows, similarities } = await this.matrix.nearest(query, limit, among, signal);
    return rows
      .map((row, i) => ({ chunkId: String(this.ids[row]), similarity: similarities[i]! }))
      .filter(({ chunkId }) => chunkId !== '0');
  }

  /** Copies what both have; both lists of ids ascend. @returns the places that are still empty. */
  private static async copy(from: AgentVectors, ids: Float64Array, into: VectorMatrix): Promise<number[]> {
    const missing: number[] = [];
    for (let place = 0, old = 0; place < ids.length; place++) {
      if (place % COPIED_PER_TURN === COPIED_PER_TURN - 1) await yieldLoop();
      const id = ids[place]!;
      while (old < from.ids.length && from.ids[old]! < id) old++;
      if (from.ids[old] === id) into.set(place, from.matrix.row(old));
      else missing.push(place);
    }
    return missing;
  }
}
