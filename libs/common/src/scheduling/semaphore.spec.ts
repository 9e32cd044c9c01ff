import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { getEventListeners } from 'node:events';
import { FairSemaphore, KeyedSemaphore, type Release, Semaphore } from './semaphore.js';

type Acquire = (key: string, signal?: AbortSignal) => Promise<Release>;

const KINDS: [string, (permits: number) => Acquire][] = [
  ['a semaphore', (permits) => withKey(new Semaphore(permits))],
  ['a keyed semaphore', (permits) => bound(new KeyedSemaphore<string>(permits))],
  ['a fair semaphore', (permits) => bound(new FairSemaphore<string>(permits))],
];

const withKey =
  (semaphore: Semaphore): Acquire =>
  (_key, signal) =>
    semaphore.acquire(signal);

const bound =
  (semaphore: { acquire: Acquire }): Acquire =>
  (key, signal) =>
    semaphore.acquire(key, signal);

describe.each(KINDS)('%s', (_name, open) => {
  it('admits one key in order of arrival, and ignores a second release of the same permit', async () => {
    const acquire = open(1);
    const order: string[] = [];
    const release = await acquire('a');
    const others = ['second', 'third'].map(async (name) => {
      const end = await acquire('a');
      order.push(name);
      end();
    });
    order.push('first');
    release();
    release();
    await Promise.all(others);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('admits as many holders as it has permits', async () => {
    const acquire = open(2);
    const ends = [await acquire('a'), await acquire('a')];
    let admitted = false;
    const third = acquire('a').then((end) => {
      admitted = true;
      return end;
    });
    await new Promise(setImmediate);
    expect(admitted).toBe(false);
    ends[0]?.();
    (await third)();
    expect(admitted).toBe(true);
  });

  it('removes a waiter whose signal aborts from the queue, and leaves no listener', async () => {
    const acquire = open(1);
    const stop = new AbortController();
    const release = await acquire('a', stop.signal);
    const aborted = acquire('a', stop.signal);
    const next = acquire('a');
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await expect(acquire('a', stop.signal)).rejects.toThrow('enough');
    release();
    (await next)();
    (await acquire('a'))();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});

describe('a semaphore', () => {
  it('returns the permit of work that fails', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await semaphore.run(() => Promise.resolve(7))).toBe(7);
  });

  it('grants a permit without waiting only while one is free', () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    expect(semaphore.tryAcquire()).toBeUndefined();
    release?.();
    expect(semaphore.tryAcquire()).toBeDefined();
  });
});

describe('a keyed semaphore', () => {
  it('counts each key separately', async () => {
    const semaphore = new KeyedSemaphore<string>(1);
    const release = await semaphore.acquire('a');
    const waiting = semaphore.acquire('a');
    expect([semaphore.free('a'), semaphore.free('b')]).toEqual([0, 1]);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    semaphore.tryAcquire('b')?.();
    release();
    (await waiting)();
    expect(semaphore.free('a')).toBe(1);
  });
});

describe('a fair semaphore', () => {
  /** All arrive at once; each holder releases as soon as it was admitted. */
  async function order(permits: number, keys: number[]): Promise<string> {
    const semaphore = new FairSemaphore<number>(permits);
    const served: number[] = [];
    await Promise.all(
      keys.map(async (key) => {
        const release = await semaphore.acquire(key);
        served.push(key);
        await Promise.resolve();
        release();
      }),
    );
    return served.join('');
  }

  it.each([
    [1, [1, 1, 1, 1, 2], '12111'],
    [1, [1, 1, 1, 2, 2, 3], '123121'],
    [2, [1, 1, 1, 1, 2, 2], '112121'],
  ])('with %i permits serves the keys %j in the order %s', async (permits, keys, expected) => {
    expect(await order(permits, keys)).toBe(expected);
  });

  /** A semaphore that is used step by step: `a` asks for a permit of the key a, `-a` returns the oldest one, if there is one. */
  class Steps {
    granted = '';
    readonly held: { key: string; release: Release }[] = [];
    readonly waiting: string[] = [];
    private readonly semaphore: FairSemaphore<string>;

    constructor(permits: number, reserved: number) {
      this.semaphore = new FairSemaphore(permits, reserved);
    }

    async take(step: string): Promise<void> {
      const key = step.slice(-1);
      if (step.startsWith('-')) this.release(key);
      else void this.acquire(key);
      await new Promise(setImmediate);
    }

    holdersOf(key: string): number {
      return this.held.filter((one) => one.key === key).length;
    }

    private async acquire(key: string): Promise<void> {
      this.waiting.push(key);
      const release = await this.semaphore.acquire(key);
      this.waiting.splice(this.waiting.indexOf(key), 1);
      this.held.push({ key, release });
      this.granted += key;
    }

    private release(key: string): void {
      const oldest = this.held.findIndex((one) => one.key === key);
      if (oldest !== -1) this.held.splice(oldest, 1)[0]?.release();
    }
  }

  it.each([
    ['a key with holders leaves the reserved permits', 'a a a a', 'aa'],
    ['a key without a holder takes a reserved permit', 'a a a b', 'aab'],
    ['but no second one', 'a a b b', 'aab'],
    ['until its first one returns', 'a a b b -b', 'aabb'],
    ['there are no more than the reserved ones', 'a a b c d', 'aabc'],
    ['a returned one stays reserved', 'a a a b -b', 'aab'],
    ['for a key without a holder', 'a a a b c d -b', 'aabcd'],
    ['a key whose only permit returns precedes a key with a holder', 'a b b a -a', 'aba'],
    ['keys without a holder take turns', 'a b c d a e -a', 'abcde'],
    ['in the order in which they were served', 'a b c d a e -a -b', 'abcdea'],
  ])('of two permits and two reserved ones: %s (%s)', async (_rule, steps, expected) => {
    const semaphore = new Steps(2, 2);
    for (const step of steps.split(' ')) await semaphore.take(step);
    expect(semaphore.granted).toBe(expected);
  });

  it('with reserved permits never leaves a permit unused that a waiter may take', async () => {
    const step = fc.constantFrom('a', 'b', 'c', 'd', 'e', '-a', '-b', '-c', '-d', '-e');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const semaphore = new Steps(2, 2);
        for (const one of steps) {
          await semaphore.take(one);
          const held = semaphore.held.length;
          expect(held).toBeLessThanOrEqual(4);
          for (const key of semaphore.waiting)
            expect(held).toBeGreaterThanOrEqual(semaphore.holdersOf(key) === 0 ? 4 : 2);
        }
      }),
      { numRuns: 200 },
    );
  });
});
