import { setImmediate as yieldLoop } from 'node:timers/promises';
import type { VectorMatrix } from './vector-matrix.js';

/** Numbers made to bits between two turns of the event loop: 2 to 3 ms. */
const PER_TURN = 300_000;
/** Words of bits compared in one turn: 1 ms. */
const WORDS_PER_TURN = 300_000;

/** Bits set in each number of 16 bits. */
const BITS = new Uint8Array(65_536);
for (let i = 1; i < BITS.length; i++) BITS[i] = (i & 1) + BITS[i >> 1]!;

/**
 * One bit for each number of a vector: above or below the mean of all rows (embeddings share a direction; around zero many bits
 * would be the same in every row). Rows whose bits differ little from the query's are the ones worth comparing.
 */
export class SignCodes {
  private constructor(
    private readonly codes: Uint32Array,
    private readonly mean: Float32Array,
    private readonly count: number,
  ) {}

  static async of(matrix: VectorMatrix): Promise<SignCodes> {
    const { count, dimensions } = matrix;
    const mean = await meanOf(matrix);
    const words = wordsOf(dimensions);
    const codes = new Uint32Array(count * words);
    const perTurn = Math.max(1, Math.floor(PER_TURN / dimensions));
    for (let row = 0; row < count; row++) {
      if (row % perTurn === perTurn - 1) await yieldLoop();
      writeCode(matrix.values, row * dimensions, mean, codes, row * words);
    }
    return new SignCodes(codes, mean, count);
  }

  get bytes(): number {
    return this.codes.byteLength + this.mean.byteLength;
  }

  /** The `wanted` rows whose bits differ least from the query's, all rows when there are fewer; in no order. */
  async candidates(query: Float32Array, wanted: number, signal?: AbortSignal): Promise<Uint32Array> {
    const code = new Uint32Array(wordsOf(query.length));
    writeCode(query, 0, this.mean, code, 0);
    const distances = new Uint16Array(this.count);
    const perTurn = Math.max(1, Math.floor(WORDS_PER_TURN / code.length));
    for (let from = 0; from < this.count; from += perTurn) {
      if (from > 0) await yieldLoop();
      signal?.throwIfAborted();
      this.measure(code, distances, from, Math.min(this.count, from + perTurn));
    }
    await yieldLoop();
    return leastOf(distances, wanted, query.length);
  }

  private measure(code: Uint32Array, distances: Uint16Array, from: number, to: number): void {
    const words = code.length;
    for (let row = from, at = from * words; row < to; row++) {
      let distance = 0;
      for (let word = 0; word < words; word++, at++) {
        const different = this.codes[at]! ^ code[word]!;
        distance += BITS[different & 0xffff]! + BITS[different >>> 16]!;
      }
      distances[row] = distance;
    }
  }
}

const wordsOf = (dimensions: number): number => Math.ceil(dimensions / 32);

async function meanOf({ values, count, dimensions }: VectorMatrix): Promise<Float32Array> {
  const sums = new Float64Array(dimensions);
  const perTurn = Math.max(1, Math.floor(PER_TURN / dimensions));
  for (let row = 0; row < count; row++) {
    if (row % perTurn === perTurn - 1) await yieldLoop();
    for (let i = 0, at = row * dimensions; i < dimensions; i++, at++) sums[i]! += values[at]!;
  }
  return Float32Array.from(sums, (sum) => sum / Math.max(1, count));
}

function writeCode(values: Float32Array, from: number, mean: Float32Array, codes: Uint32Array, to: number): void {
  for (let i = 0; i < mean.length; i++) if (values[from + i]! > mean[i]!) codes[to + (i >> 5)]! |= 1 << (i & 31);
}

/** By counting: one pass to find the distance at which enough are within, one to collect them. */
function leastOf(distances: Uint16Array, wanted: number, largest: number): Uint32Array {
  const counts = new Uint32Array(largest + 1);
  for (const distance of distances) counts[distance]!++;
  let within = 0;
  let limit = 0;
  while (limit <= largest && within + counts[limit]! <= wanted) within += counts[limit++]!;
  let atLimit = Math.min(wanted, distances.length) - within;
  const rows = new Uint32Array(within + atLimit);
  let found = 0;
  for (let row = 0; row < distances.length; row++) {
    const distance = distances[row]!;
    if (distance < limit || (distance === limit && atLimit-- > 0)) rows[found++] = row;
  }
  return rows;
}
