import { CooperativeYield } from '@app/common';

/** Numbers processed between two checks of the clock: 0.1 to 1 ms. */
const NUMBERS_PER_STEP = 100_000;

/** Calls `work` for consecutive ranges of rows and lets the event loop turn in between. */
async function inSteps(
  rows: number,
  numbersPerRow: number,
  work: (from: number, to: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const pacing = new CooperativeYield();
  const step = Math.max(1, Math.floor(NUMBERS_PER_STEP / Math.max(1, numbersPerRow)));
  for (let from = 0; from < rows; from += step) {
    if (pacing.due) await pacing.pause();
    signal?.throwIfAborted();
    work(from, Math.min(rows, from + step));
  }
}

/** Unit vectors of one dimension in contiguous memory. */
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

  /** The rows nearest to the query by cosine, nearest first. @param among the compared rows; all if absent. */
  async nearest(query: Float32Array, limit: number, among?: Uint32Array, signal?: AbortSignal): Promise<Nearest> {
    const nearest = new Nearest(limit);
    const scan = (from: number, to: number): void => this.scan(query, nearest, from, to, among);
    await inSteps(among?.length ?? this.count, this.dimensions, scan, signal);
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

/** Four independent sums: with a single one, each addition would wait for the previous one (1.6x slower). */
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

/** The best `limit` rows so far, best first. Limits are small (tens), for which insertion is faster than a heap. */
export class Nearest {
  readonly rows: number[] = [];
  readonly similarities: number[] = [];

  constructor(private readonly limit: number) {}

  /** Only better similarities need to be added. */
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

/** Bits set in each number of 16 bits. */
const BITS = new Uint8Array(65_536);
for (let i = 1; i < BITS.length; i++) BITS[i] = (i & 1) + BITS[i >> 1]!;

/**
 * One bit per dimension: above or below the mean of all rows (embeddings share a direction, so that relative to zero many bits would
 * be the same in every row). Rows whose bits differ little from the query's are compared exactly.
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
    await inSteps(count, dimensions, (from, to) => {
      for (let row = from; row < to; row++) writeCode(matrix.values, row * dimensions, mean, codes, row * words);
    });
    return new SignCodes(codes, mean, count);
  }

  get bytes(): number {
    return this.codes.byteLength + this.mean.byteLength;
  }

  /**
   * The `wanted` rows whose bits differ least from the query's, or all rows if there are fewer; unordered. @param among the compared
   * rows; all if absent.
   */
  async candidates(
    query: Float32Array,
    wanted: number,
    signal?: AbortSignal,
    among?: Uint32Array,
  ): Promise<Uint32Array> {
    const code = new Uint32Array(wordsOf(query.length));
    writeCode(query, 0, this.mean, code, 0);
    const distances = new Uint16Array(among?.length ?? this.count);
    const measure = (from: number, to: number): void => this.measure(code, distances, from, to, among);
    await inSteps(distances.length, code.length, measure, signal);
    const least = leastOf(distances, wanted, query.length);
    return among ? least.map((place) => among[place]!) : least;
  }

  private measure(code: Uint32Array, distances: Uint16Array, from: number, to: number, among?: Uint32Array): void {
    const words = code.length;
    for (let place = from; place < to; place++) {
      let at = (among ? among[place]! : place) * words;
      let distance = 0;
      for (let word = 0; word < words; word++, at++) {
        const different = this.codes[at]! ^ code[word]!;
        distance += BITS[different & 0xffff]! + BITS[different >>> 16]!;
      }
      distances[place] = distance;
    }
  }
}

const wordsOf = (dimensions: number): number => Math.ceil(dimensions / 32);

async function meanOf({ values, count, dimensions }: VectorMatrix): Promise<Float32Array> {
  const sums = new Float64Array(dimensions);
  await inSteps(count, dimensions, (from, to) => {
    for (let row = from; row < to; row++) addRow(sums, values, row * dimensions);
  });
  return Float32Array.from(sums, (sum) => sum / Math.max(1, count));
}

function addRow(sums: Float64Array, values: Float32Array, from: number): void {
  for (let i = 0; i < sums.length; i++) sums[i]! += values[from + i]!;
}

function writeCode(values: Float32Array, from: number, mean: Float32Array, codes: Uint32Array, to: number): void {
  for (let i = 0; i < mean.length; i++) if (values[from + i]! > mean[i]!) codes[to + (i >> 5)]! |= 1 << (i & 31);
}

/** Counting selection: one pass finds the distance that includes enough rows, one collects them. */
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
