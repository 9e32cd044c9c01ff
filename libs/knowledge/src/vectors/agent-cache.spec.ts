import { expect, it } from '@jest/globals';
import { AgentCache } from './agent-cache.js';
import { Nearest } from './nearest.js';

const entry = (bytes: number) => ({ version: 1n, bytes, value: 'vectors' });

it('keeps what was used last, within its bytes', () => {
  const cache = new AgentCache<string>(100);
  cache.put('a', entry(40));
  cache.put('b', entry(40));
  cache.get('a');
  cache.put('c', entry(40));
  expect(['a', 'b', 'c'].filter((key) => cache.get(key))).toEqual(['a', 'c']);
  cache.put('a', entry(10));
  expect(cache.bytes).toBe(50);
  cache.put('d', entry(101));
  expect(cache.get('d')).toBeUndefined();
  cache.put('e', entry(100));
  expect(cache.bytes).toBe(100);
});

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
