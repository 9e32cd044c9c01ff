import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Line, WaitingLines } from './waiting-line.js';

const ACCOUNT = 1;
const LIMIT = 100_000;
let now: number;
let lines: WaitingLines;
let counts: number;
beforeEach(() => {
  now = 0;
  counts = 0;
  lines = new WaitingLines(() => now);
});

const look = (waiting = 0): Promise<void> =>
  lines.look(ACCOUNT, () => {
    counts++;
    return Promise.resolve({ waiting, limit: LIMIT });
  });

describe('a line', () => {
  it('that was never seen gives no place', () => {
    expect(lines.takePlenty(ACCOUNT, 1, LIMIT)).toBe(false);
  });

  it.each([
    [0, 10_000],
    [50_000, 5_000],
    [90_000, 1_000],
    [100_000, 1_000],
  ])('of %i is believed for %i ms', async (waiting, ms) => {
    await look(waiting);
    now = ms - 1;
    await look();
    expect(counts).toBe(1);
    now = ms;
    await look();
    expect(counts).toBe(2);
  });

  it('is counted once for many orders at once, and again after a count that failed', async () => {
    const failing = [1, 2, 3].map(() =>
      lines.look(ACCOUNT, () => {
        counts++;
        return Promise.reject<Line>(new Error('gone'));
      }),
    );
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    expect(counts).toBe(1);
    await Promise.all([look(), look(), look()]);
    expect(counts).toBe(2);
    expect(lines.takePlenty(ACCOUNT, 1, LIMIT)).toBe(true);
  });

  it('gives places without a count until 10,000 are left', () => {
    lines.saw(ACCOUNT, { waiting: 89_998, limit: LIMIT });
    expect([1, 2, 1, 1].map((count) => lines.takePlenty(ACCOUNT, count, LIMIT))).toEqual([true, false, true, false]);
    expect(lines.takePlenty(2, 1, LIMIT)).toBe(false);
  });

  it('is forgotten when 10,000 others were seen since', () => {
    for (let account = 0; account <= 10_000; account++) lines.saw(account, { waiting: 0, limit: LIMIT });
    expect([0, 1].map((account) => lines.takePlenty(account, 1, LIMIT))).toEqual([false, true]);
  });
});
