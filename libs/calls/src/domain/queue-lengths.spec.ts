import { beforeEach, describe, expect, it } from '@jest/globals';
import { type QueueLength, QueueLengths } from './queue-lengths.js';

const ACCOUNT = 1;
const LIMIT = 100_000;
let now: number;
let queues: QueueLengths;
let counts: number;
beforeEach(() => {
  now = 0;
  counts = 0;
  queues = new QueueLengths(() => now);
});

const refresh = (waiting = 0): Promise<void> =>
  queues.refresh(ACCOUNT, () => {
    counts++;
    return Promise.resolve({ waiting, limit: LIMIT });
  });

describe('the estimated length of a queue', () => {
  it('grants no places for an account that was never counted', () => {
    expect(queues.takePlaces(ACCOUNT, 1, LIMIT)).toBe(false);
  });

  it.each([
    [0, 10_000],
    [50_000, 5_000],
    [90_000, 1_000],
    [100_000, 1_000],
  ])('of %i waiting calls holds for %i ms', async (waiting, ms) => {
    await refresh(waiting);
    now = ms - 1;
    await refresh();
    expect(counts).toBe(1);
    now = ms;
    await refresh();
    expect(counts).toBe(2);
  });

  it('is counted once for concurrent requests, and again after a count that failed', async () => {
    const failing = [1, 2, 3].map(() =>
      queues.refresh(ACCOUNT, () => {
        counts++;
        return Promise.reject<QueueLength>(new Error('gone'));
      }),
    );
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    expect(counts).toBe(1);
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(counts).toBe(2);
    expect(queues.takePlaces(ACCOUNT, 1, LIMIT)).toBe(true);
  });

  it('grants places without a count until 10,000 are left', () => {
    queues.set(ACCOUNT, { waiting: 89_998, limit: LIMIT });
    expect([1, 2, 1, 1].map((count) => queues.takePlaces(ACCOUNT, count, LIMIT))).toEqual([true, false, true, false]);
    expect(queues.takePlaces(2, 1, LIMIT)).toBe(false);
  });

  it('is dropped when 10,000 other accounts were counted since', () => {
    for (let account = 0; account <= 10_000; account++) queues.set(account, { waiting: 0, limit: LIMIT });
    expect([0, 1].map((account) => queues.takePlaces(account, 1, LIMIT))).toEqual([false, true]);
  });
});
