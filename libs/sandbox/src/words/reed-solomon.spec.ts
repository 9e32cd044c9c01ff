import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { correct, protect } from './reed-solomon.js';

describe('a block of Reed-Solomon code', () => {
  it('is restored with any wrong bytes up to half of its parity', () => {
    const random = new SeededRandom('wrong bytes');
    for (let round = 0; round < 300; round++) {
      const data = Uint8Array.from({ length: random.int(1, 100) }, () => random.int(0, 255));
      const parity = 2 * random.int(1, 50);
      const block = protect(data, parity);
      const places = Array.from({ length: block.length }, (_, i) => i)
        .map((place) => ({ place, key: random.next() }))
        .toSorted((a, b) => a.key - b.key)
        .slice(0, Math.min(parity / 2, block.length));
      for (const { place } of places) block[place]! ^= random.int(1, 255);
      expect(correct(block, parity)).toEqual(data);
    }
  });

  it('is restored with more wrong bytes when the places of some are known', () => {
    const random = new SeededRandom('erased bytes');
    for (let round = 0; round < 300; round++) {
      const data = Uint8Array.from({ length: random.int(1, 100) }, () => random.int(0, 255));
      const parity = 2 * random.int(1, 50);
      const block = protect(data, parity);
      const places = Array.from({ length: block.length }, (_, i) => i)
        .map((place) => ({ place, key: random.next() }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ place }) => place);
      const known = places.slice(0, random.int(0, Math.min(parity, block.length)));
      const unknown = places.slice(known.length, known.length + Math.floor((parity - known.length) / 2));
      // A doubtful byte may be right.
      for (const place of known) block[place]! ^= random.int(0, 255);
      for (const place of unknown) block[place]! ^= random.int(1, 255);
      expect(correct(block, parity, known)).toEqual(data);
    }
  });

  it('with more wrong bytes is refused, or at least not longer than its data', () => {
    const random = new SeededRandom('too many');
    const data = Uint8Array.from({ length: 40 }, () => random.int(0, 255));
    let refused = 0;
    for (let round = 0; round < 100; round++) {
      const block = protect(data, 40).map((byte) => byte ^ (random.chance(0.7) ? random.int(1, 255) : 0));
      if (correct(block, 40) === undefined) refused++;
    }
    expect(refused).toBe(100);
  });
});
