import { setImmediate as yieldLoop } from 'node:timers/promises';
import { vectorOf } from '../embed/float32.js';
import type { ChunkVectors, VectorScope } from './chunk-vectors.repository.js';
import { SignCodes } from './sign-codes.js';
import { VectorMatrix } from './vector-matrix.js';
import type { NearChunk } from './vector-store.js';

/** Above it bits choose what is compared: 20,000 x 384 take about 6 ms. */
const EXACT_UP_TO = 20_000;
/** Compared exactly after that: recall@10 of 0.99 and better on 100,000 (bench knowledge-vectors). */
const CANDIDATES = 3_000;
const PER_READ = 500;
const COPIED_PER_TURN = 2_000;

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
  static async read(
    repository: ChunkVectors,
    scope: VectorScope,
    ids: Float64Array,
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
