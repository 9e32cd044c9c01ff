import { expect, it } from '@jest/globals';
import { Nearest } from './vector-matrix.js';

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
])('of %j the best three are %j', (similarities, rows) => {
  const nearest = new Nearest(3);
  for (const [row, similarity] of similarities.entries()) if (similarity > nearest.worst) nearest.add(row, similarity);
  expect(nearest.rows).toEqual(rows);
});
