import { describe, expect, it } from '@jest/globals';
import { type Allowance, RateLimiter, type TakeWindow } from './rate-limiter.js';

/** One store for all processes: windows of a minute on one clock. */
function aStore() {
  const clock = { now: 0, queries: 0 };
  const windows = new Map<string, { used: number; endsAt: number }>();
  const take: TakeWindow = async (key, wanted, limit) => {
    clock.queries += 1;
    await Promise.resolve();
    let window = windows.get(key);
    if (!window || window.endsAt <= clock.now) windows.set(key, (window = { used: 0, endsAt: clock.now + 60_000 }));
    const granted = Math.min(wanted, Math.max(0, limit - window.used));
    window.used += granted;
    return { granted, used: window.used, window: String(window.endsAt), endsInMs: window.endsAt - clock.now };
  };
  const errors: unknown[] = [];
  const process = (store = take) =>
    new RateLimiter({ take: store, onError: (error) => errors.push(error), now: () => clock.now });
  return { clock, process, errors };
}

const passes = ({ retryAfterMs }: Allowance): boolean => retryAfterMs === undefined;

async function many(count: number, process: RateLimiter, limit: number, key = 'k'): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, async () => process.take(key, limit)));
  return answers.filter(passes).length;
}

describe('a rate limit that processes share', () => {
  it.each([1, 7, 40, 99])('admits exactly %i requests while the limit is small', async (limit) => {
    const { process } = aStore();
    const processes = [process(), process(), process()];
    const passed = await Promise.all(processes.map((one) => many(50, one, limit)));
    expect(passed.reduce((sum, count) => sum + count, 0)).toBe(limit);
  });

  it('never admits more than a large limit, and at most a hundredth less for each process', async () => {
    const { process, clock } = aStore();
    const processes = [process(), process(), process()];
    let passed = 0;
    for (let turn = 0; turn < 1_000; turn += 1) {
      for (const one of processes) passed += await many(4, one, 10_000);
    }
    expect(passed).toBeLessThanOrEqual(10_000);
    expect(passed).toBeGreaterThanOrEqual(10_000 - 2 * 100);
    expect(clock.queries).toBeLessThan(150);
  });

  it('starts at zero in the next window, and carries nothing over', async () => {
    const { process, clock } = aStore();
    const one = process();
    expect(await many(1_500, one, 1_000)).toBe(1_000);
    const refused = await one.take('k', 1_000);
    expect(refused).toEqual({ limit: 1_000, remaining: 0, retryAfterMs: 60_000 });
    clock.now = 59_999;
    expect(await many(1, one, 1_000)).toBe(0);
    clock.now = 60_000;
    expect(one.refuses('k')).toBeUndefined();
    expect(await many(1, one, 1_000)).toBe(1);
    clock.now = 120_000;
    expect(await many(1_500, one, 1_000)).toBe(1_000);
  });

  it('queries the store once for all requests of one turn, and leases no more than a hundredth afterwards', async () => {
    const { process, clock } = aStore();
    const one = process();
    expect(await many(50, one, 1_000)).toBe(50);
    // Once for the fifty, and beforehand for those after them.
    expect(clock.queries).toBe(2);
    expect(await one.take('k', 1_000)).toEqual({ limit: 1_000, remaining: 949 });
    expect(await process().take('k', 1_000)).toEqual({ limit: 1_000, remaining: 939 });
  });

  it('admits requests that arrive during a query of the store', async () => {
    const { process } = aStore();
    const one = process();
    const first = one.take('k', 1_000);
    await Promise.resolve();
    await Promise.resolve();
    expect(await many(50, one, 1_000)).toBe(50);
    expect(await first).toMatchObject({ limit: 1_000 });
  });

  it('does not wait for the store while a lease has requests left, and refills it before its end', async () => {
    const { process } = aStore();
    const one = process();
    await one.take('k', 1_000);
    for (let n = 0; n < 50; n += 1) {
      expect(one.take('k', 1_000)).not.toBeInstanceOf(Promise);
      await new Promise(setImmediate);
    }
  });

  it('does not report a refusal while a lease has requests left', async () => {
    const { process } = aStore();
    const [one, another] = [process(), process()];
    // With the two that it takes beforehand, 198.
    expect(await many(196, one, 200)).toBe(196);
    expect(await many(1, another, 200)).toBe(1);
    expect(another.refuses('k')).toBeUndefined();
    expect(await many(2, another, 200)).toBe(1);
    expect(another.refuses('k')).toMatchObject({ remaining: 0 });
  });

  it('caches the leases of the 10,000 most recently used keys', async () => {
    const { process } = aStore();
    const one = process();
    for (let n = 0; n < 10_000; n += 1) await many(2, one, 1, String(n));
    expect(one.refuses('1')).toMatchObject({ remaining: 0 });
    await one.take('new', 1);
    expect(one.refuses('0')).toBeUndefined();
    expect(one.refuses('1')).toMatchObject({ remaining: 0 });
  });

  it('reports how many requests are left', async () => {
    const { process } = aStore();
    const one = process();
    const left = [];
    for (let n = 0; n < 4; n += 1) left.push((await one.take('k', 3)).remaining);
    expect(left).toEqual([2, 1, 0, 0]);
  });

  it('applies to each key, and a changed limit takes effect at once', async () => {
    const { process } = aStore();
    const one = process();
    expect(await many(5, one, 3, 'a')).toBe(3);
    expect(await many(5, one, 3, 'b')).toBe(3);
    expect(await many(5, one, 4, 'a')).toBe(1);
    expect(one.refuses('a')).toMatchObject({ remaining: 0 });
    expect(one.refuses('b')).toMatchObject({ remaining: 0 });
    expect(one.refuses('c')).toBeUndefined();
  });

  it('admits requests when the store does not answer, and reports the error', async () => {
    const { process, errors, clock } = aStore();
    const one = process(() => Promise.reject(new Error('away')));
    expect(await many(300, one, 1_000)).toBe(300);
    clock.now = 1_000;
    expect(await many(5, one, 1_000)).toBe(5);
    expect(errors).toEqual(expect.arrayContaining([new Error('away')]));
  });
});
