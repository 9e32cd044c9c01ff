import { expect, it } from '@jest/globals';
import { Playhead } from './playhead.js';

it('the first words of the agent are recognised by a clock that moves between two readings', () => {
  let time = 0;
  const playhead = new Playhead({ now: () => (time += 0.001), after: () => () => undefined });
  expect(playhead.firstWordsMs).toBeUndefined();
  playhead.delivered(1_000);
  playhead.delivered(1_000);
  time = 500;
  expect(playhead.firstWordsMs).toBeCloseTo(500, 1);
  time = 3_000;
  playhead.delivered(1_000);
  expect(playhead.firstWordsMs).toBeUndefined();
});
