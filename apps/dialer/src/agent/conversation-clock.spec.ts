import { expect, it } from '@jest/globals';
import { ConversationClock } from './conversation-clock.js';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 2, 3, 4, seconds));

it('counts from the answer, and its limit from the moment at which the agent joined', () => {
  let now = at(0);
  const clock = new ConversationClock({ now: () => now });
  now = at(4);
  expect([clock.nowMs, clock.joinedMs]).toEqual([4_000, 0]);
  clock.start(at(10), at(25));
  now = at(30);
  expect([clock.nowMs, clock.joinedMs, clock.leftMs(60)]).toEqual([20_000, 15_000, 55_000]);
  expect(clock.timeOf(-1_000)).toEqual(at(9));
  now = at(59);
  expect(clock.leftMs(30)).toBe(0);
});
