import { describe, expect, it } from '@jest/globals';
import { Nearest, SignCodes, VectorMatrix } from './vector-matrix.js';
import { SeededRandom } from '../../../../test/support/seeded-random.js';

it.each([
  [[], []],
  [[1], [0]],
  [
    [1, 5, 3, 4],
    [1, 3, 2],
  ],
  [
    [5, 4, 3, 2],
    [0, 1, 2],
  ],
])('the best three similarities of %j are those of the rows %j', (similarities, rows) => {
  const nearest = new Nearest(3);
  for (const [row, similarity] of similarities.entries()) if (similarity > nearest.worst) nearest.add(row, similarity);
  expect(nearest.rows).toEqual(rows);
});

const random = new SeededRandom(3);
const DIMENSIONS = 96;

/** Points around 40 centres with a common direction, like embeddings of texts on 40 subjects. */
function matrixOf(count: number): VectorMatrix {
  const vector = (spread: number, around?: Float32Array) =>
    Float32Array.from({ length: DIMENSIONS }, (_, i) => (around?.[i] ?? 0.3) + (random.next() - 0.5) * spread);
  const centres = Array.from({ length: 40 }, () => vector(2));
  const matrix = new VectorMatrix(count, DIMENSIONS);
  for (let row = 0; row < count; row++) {
    const one = vector(1, centres[row % centres.length]);
    const length = Math.hypot(...one);
    matrix.set(
      row,
      one.map((value) => value / length),
    );
  }
  return matrix;
}

describe('the sign codes of vectors', () => {
  it('preselect a fifteenth of the rows with nearly all results of an exact comparison', async () => {
    const matrix = matrixOf(6_000);
    const codes = await SignCodes.of(matrix);
    let found = 0;
    for (let round = 0; round < 30; round++) {
      const query = matrix.row(round * 7);
      const among = await codes.candidates(query, 400);
      expect(among).toHaveLength(400);
      const exact = await matrix.nearest(query, 10);
      const near = await matrix.nearest(query, 10, among);
      expect(near.rows[0]).toBe(round * 7);
      found += exact.rows.filter((row) => near.rows.includes(row)).length;
    }
    expect(found / 300).toBeGreaterThan(0.97);
  });

  it('preselect among the given rows only, the nearest of them included', async () => {
    const matrix = matrixOf(3_000);
    const codes = await SignCodes.of(matrix);
    const query = matrix.row(0);
    const even = Uint32Array.from({ length: 1_500 }, (_, i) => i * 2);
    const among = await codes.candidates(query, 300, undefined, even);
    expect(among).toHaveLength(300);
    expect(among.filter((row) => row % 2 === 1)).toEqual(new Uint32Array());
    const near = await matrix.nearest(query, 10, among);
    const exact = await matrix.nearest(query, 10, even);
    expect(exact.rows.filter((row) => near.rows.includes(row)).length).toBeGreaterThanOrEqual(9);
  });

  it.each([0, 1, 7])('select all %d rows if that is fewer than wanted', async (count) => {
    const matrix = matrixOf(count);
    const codes = await SignCodes.of(matrix);
    const among = await codes.candidates(new Float32Array(DIMENSIONS).fill(0.1), 50);
    expect([...among]).toEqual(Array.from({ length: count }, (_, row) => row));
  });

  it('select the wanted number of rows in spite of ties', async () => {
    const matrix = new VectorMatrix(500, DIMENSIONS);
    for (let row = 0; row < 500; row++) matrix.set(row, new Float32Array(DIMENSIONS).fill(0.1));
    const codes = await SignCodes.of(matrix);
    expect(new Set(await codes.candidates(matrix.row(0), 50)).size).toBe(50);
  });

  it('stop when the signal aborts', async () => {
    const matrix = matrixOf(10);
    const codes = await SignCodes.of(matrix);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(codes.candidates(matrix.row(0), 5, signal)).rejects.toThrow('too late');
    await expect(matrix.nearest(matrix.row(0), 5, undefined, signal)).rejects.toThrow('too late');
  });
});
