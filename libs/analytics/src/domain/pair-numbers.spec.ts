import { describe, expect, it } from '@jest/globals';
import { PairNumbers } from './pair-numbers.js';

describe('numbers of pairs', () => {
  it('are given in the order in which pairs are seen, once for each pair', () => {
    const pairs = new PairNumbers();
    const known = new Map<string, number>();
    const wrong: string[] = [];
    let state = 1;
    for (let i = 0; i < 50_000; i++) {
      state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647;
      // Small and large ids, and pairs that differ only in their order.
      const [first, second] = [state % 97, i % 3 === 0 ? 2_147_483_647 - (state % 89) : (state >>> 8) % 89];
      const key = `${first} ${second}`;
      if (!known.has(key)) known.set(key, known.size);
      if (pairs.of(first, second) !== known.get(key)) wrong.push(key);
    }
    expect(wrong).toEqual([]);
    expect(pairs.size).toBe(known.size);
    const last = known.size - 1;
    expect([...known.keys()][last]).toBe(`${pairs.first(last)} ${pairs.second(last)}`);
  });
});
