import { setImmediate as yieldLoop } from 'node:timers/promises';

/** Multiplications between two turns of the event loop: 1 to 2 ms. */
const PER_TURN = 1_500_000;

/** Rows of one length, each 1 long, in one piece of memory. */
export class VectorMatrix {
  readonly values: Float32Array;

  constructor(
    readonly count: number,
    readonly dimensions: number,
  ) {
    this.values = new Float32Array(count * dimensions);
  }

  set(row: number, vector: Float32Array): void {
    this.values.set(vector, row * this.dimensions);
  }

  row(row: number): Float32Array {
    return this.values.subarray(row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** The rows nearest to the query by cosine, nearest first; lets the event loop turn in between. @param among all when absent. */
  async nearest(query: Float32Array, limit: number, among?: Uint32Array, signal?: AbortSignal): Promise<Nearest> {
    const nearest = new Nearest(limit);
    const count = among?.length ?? this.count;
    const perTurn = Math.max(1, Math.floor(PER_TURN / this.dimensions));
    for (let from = 0; from < count; from += perTurn) {
      if (from > 0) await yieldLoop();
      signal?.throwIfAborted();
      this.scan(query, nearest, from, Math.min(count, from + perTurn), among);
    }
    return nearest;
  }

  private scan(query: Float32Array, nearest: Nearest, from: number, to: number, among?: Uint32Array): void {
    for (let place = from; place < to; place++) {
      const row = among ? among[place]! : place;
      const similarity = dot(this.values, row * this.dimensions, query);
      if (similarity > nearest.worst) nearest.add(row, similarity);
    }
  }
}

/** Four sums at once: one would make each addition wait for the one before (1.6x slower). */
function dot(values: Float32Array, offset: number, query: Float32Array): number {
  const length = query.length;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += values[offset + i]! * query[i]!;
    b += values[offset + i + 1]! * query[i + 1]!;
    c += values[offset + i + 2]! * query[i + 2]!;
    d += values[offset + i + 3]! * query[i + 3]!;
  }
  for (; i < length; i++) a += values[offset + i]! * query[i]!;
  return a + b + (c + d);
}

/** The best `limit` rows seen so far, best first. Limits are small (tens): insertion is faster than a heap there. */
export class Nearest {
  readonly rows: number[] = [];
  readonly similarities: number[] = [];

  constructor(private readonly limit: number) {}

  /** What is not better than this need not be added. */
  get worst(): number {
    return this.rows.length < this.limit
      ? Number.NEGATIVE_INFINITY
      : (this.similarities.at(-1) ?? Number.POSITIVE_INFINITY);
  }

  add(row: number, similarity: number): void {
    let place = this.rows.length;
    while (place > 0 && this.similarities[place - 1]! < similarity) place--;
    this.rows.splice(place, 0, row);
    this.similarities.splice(place, 0, similarity);
    if (this.rows.length <= this.limit) return;
    this.rows.pop();
    this.similarities.pop();
  }
}
