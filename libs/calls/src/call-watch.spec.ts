import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLog } from '@app/common';
import type { Pool } from 'pg';
import { CallWatch, type CallWatcher } from './call-watch.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

interface Asked {
  calls: string[];
  after: number[];
}

/** The events of calls, and what was asked about them. */
function database(events: Record<string, number>) {
  const asked: Asked[] = [];
  const query = ({ values: [, calls, after] }: { values: [number[], string[], number[]] }) => {
    asked.push({ calls, after });
    const rows = calls.flatMap((call, n) =>
      Array.from({ length: Math.max(0, (events[call] ?? 0) - after[n]!) }, (_, i) => ({
        place: n + 1,
        gone: false,
        over_at: null,
        seq: after[n]! + i + 1,
        at: new Date(0),
        type: 'hold',
        data: {},
      })),
    );
    return Promise.resolve({ rows });
  };
  return { asked, pool: { query } as unknown as Pool };
}

function watcher(callId: string, after: number, wants = Infinity) {
  const seen: number[] = [];
  const ended: string[] = [];
  const one: CallWatcher = {
    accountId: 1,
    callId,
    after,
    take: ({ seq }) => seen.push(seq) < wants,
    end: (reason) => void ended.push(reason),
  };
  return { one, seen, ended };
}

const log = createLog({ level: 'silent', role: 'test' });

it('asks once for everybody, while there is anybody', async () => {
  const events = { a: 2, b: 1 };
  const { asked, pool } = database(events);
  const watch = new CallWatch(pool, log);
  const people = [watcher('a', 0), watcher('a', 0), watcher('b', 0)];
  const watching = people.map(({ one }) => watch.watch(one));
  await jest.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([{ calls: ['a', 'b'], after: [0, 0] }]);
  events.a = 3;
  await jest.advanceTimersByTimeAsync(250);
  expect(asked.slice(1)).toEqual([{ calls: ['a', 'b'], after: [2, 1] }]);
  expect(people.map(({ seen }) => seen)).toEqual([[1, 2, 3], [1, 2, 3], [1]]);
  watching.forEach((one) => one.stop());
  await jest.advanceTimersByTimeAsync(10_000);
  expect([asked.length, jest.getTimerCount()]).toEqual([2, 0]);
});

it('keeps nothing for who is full, and goes on where it stopped', async () => {
  const { asked, pool } = database({ a: 5 });
  const watch = new CallWatch(pool, log);
  const slow = watcher('a', 0, 2);
  const watching = watch.watch(slow.one);
  await jest.advanceTimersByTimeAsync(1_000);
  expect([slow.seen, asked.length]).toEqual([[1, 2], 1]);
  watching.resume();
  await jest.advanceTimersByTimeAsync(100);
  expect(slow.seen).toEqual([1, 2, 3]);
  await watch.close();
  expect([slow.ended, jest.getTimerCount()]).toEqual([['closing'], 0]);
});

it('goes on when the database is there again', async () => {
  const { pool } = database({ a: 1 });
  let fails = 2;
  const query = (statement: unknown) =>
    fails-- > 0 ? Promise.reject(new Error('down')) : (pool.query as (statement: unknown) => unknown)(statement);
  const watch = new CallWatch({ query } as unknown as Pool, log);
  const one = watcher('a', 0);
  watch.watch(one.one);
  await jest.advanceTimersByTimeAsync(600);
  expect(one.seen).toEqual([1]);
  await watch.close();
});
