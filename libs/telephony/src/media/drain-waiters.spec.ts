import { describe, expect, it } from '@jest/globals';
import { DrainWaiters } from './drain-waiters.js';

/** What goes out in each frame: `a` audio with more behind it, `z` the last audio, `-` silence. Gives the frame after which it is over. */
async function over(settleMs: number, frames: string): Promise<number> {
  const waiters = new DrainWaiters();
  let settled = false;
  void waiters.wait(settleMs).then(() => (settled = true));
  for (let i = 0; i < frames.length; i++) {
    if (frames[i] === '-') waiters.silenceSent();
    else waiters.audioSent(frames[i] === 'z');
    await Promise.resolve();
    if (settled) return i + 1;
  }
  return NaN;
}

describe('waiting until all is said', () => {
  it.each([
    ['without a settling time it is over with the last audio', 0, 'aaz---', 3],
    ['60 ms of silence after the last audio', 60, 'aaz-----', 6],
    ['a settling time is filled up to whole frames', 50, 'z-----', 4],
    ['audio that comes in between starts it again', 60, 'z--az-----', 8],
    ['not over while audio goes out', 60, 'aaaaaaa', NaN],
  ])('%s', async (_name, settleMs, frames, expected) => expect(await over(settleMs, frames)).toBe(expected));
});
