import { describe, expect, it } from '@jest/globals';
import { BestChunks } from './best-chunks.js';

/** In no order, and many of them equal. */
const SCORES = Array.from({ length: 500 }, (_, at) => (at * 37) % 23);

describe('the best of many scores', () => {
  it.each([1, 2, 7, 40, 500, 600])(
    '%i of them are those that sorting puts first, ties in the order they came',
    (most) => {
      const chosen = new BestChunks(most);
      let least = 0;
      SCORES.forEach((score, at) => {
        if (score > least) least = chosen.offer(at, score);
      });
      const sorted = SCORES.map((score, at) => ({ at, score })).filter(({ score }) => score > 0);
      sorted.sort((a, b) => b.score - a.score || a.at - b.at);
      expect(chosen.inOrder()).toEqual(sorted.slice(0, most));
    },
  );

  it('are none when nothing was offered', () => {
    expect(new BestChunks(0).inOrder()).toEqual([]);
  });
});
