import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createLog } from '@app/common';
import type { CallEventsRepository, NewEvents, NewEventsOfReaders, ReadPosition } from './call-events.repository.js';
import { CallEventPollerService, type CallWatcher } from './call-event-poller.service.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A repository that knows the number of events of each call, and records its queries. */
function repository(events: Record<string, number>) {
  const queries: { calls: string[]; after: number[] }[] = [];
  const newEvents = (readers: readonly ReadPosition[]): Promise<NewEventsOfReaders> => {
    queries.push({ calls: readers.map(({ callId }) => callId), after: readers.map(({ after }) => after) });
    const byReader = readers.map(({ callId, after }, index): [number, NewEvents] => {
      const count = Math.max(0, (events[callId] ?? 0) - after);
      const found = Array.from({ length: count }, (_, i) => ({
        seq: after + i + 1,
        at: new Date(0),
        type: 'hold',
        data: {},
      }));
      return [index, { events: found, isDeleted: false, lastSeq: null }];
    });
    return Promise.resolve({ byReader: new Map(byReader.filter(([, one]) => one.events.length > 0)), hasMore: false });
  };
  return { queries, repository: { newEvents } as CallEventsRepository };
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

it('the watchers of a process share one statement per tick, and without watchers no statement is sent', async () => {
  const calls = { a: 2, b: 1 };
  const { queries, repository: events } = repository(calls);
  const poller = new CallEventPollerService(events, log);
  const people = [watcher('a', 0), watcher('a', 0), watcher('b', 0)];
  const watching = people.map(({ one }) => poller.watch(one));
  await jest.advanceTimersByTimeAsync(1);
  expect(queries).toEqual([{ calls: ['a', 'b'], after: [0, 0] }]);
  calls.a = 3;
  await jest.advanceTimersByTimeAsync(250);
  expect(queries.slice(1)).toEqual([{ calls: ['a', 'b'], after: [2, 1] }]);
  expect(people.map(({ seen }) => seen)).toEqual([[1, 2, 3], [1, 2, 3], [1]]);
  watching.forEach((one) => one.stop());
  await jest.advanceTimersByTimeAsync(10_000);
  expect([queries.length, jest.getTimerCount()]).toEqual([2, 0]);
});

it('a full watcher is paused and continues after its last event', async () => {
  const { queries, repository: events } = repository({ a: 5 });
  const poller = new CallEventPollerService(events, log);
  const slow = watcher('a', 0, 2);
  const watching = poller.watch(slow.one);
  await jest.advanceTimersByTimeAsync(1_000);
  expect([slow.seen, queries.length]).toEqual([[1, 2], 1]);
  watching.resume();
  await jest.advanceTimersByTimeAsync(100);
  expect(slow.seen).toEqual([1, 2, 3]);
  await poller.onModuleDestroy();
  expect([slow.ended, jest.getTimerCount()]).toEqual([['closing'], 0]);
});

it('a watcher gets its events after the database was unavailable', async () => {
  const { repository: events } = repository({ a: 1 });
  let failures = 2;
  const newEvents = (readers: readonly ReadPosition[]) =>
    failures-- > 0 ? Promise.reject(new Error('down')) : events.newEvents(readers);
  const poller = new CallEventPollerService({ newEvents } as CallEventsRepository, log);
  const one = watcher('a', 0);
  poller.watch(one.one);
  await jest.advanceTimersByTimeAsync(600);
  expect(one.seen).toEqual([1]);
  await poller.onModuleDestroy();
});
