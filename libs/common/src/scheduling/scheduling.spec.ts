import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { deleteInChunks, runPeriodically } from './scheduling.js';

/** A log that counts its errors. */
function aLog() {
  const errors: string[] = [];
  return { log: pino({ level: 'error' }, { write: (line: string) => errors.push(line) }), errors };
}

/** Work whose runs can be waited for; those of the given numbers fail. */
function someWork(...failing: number[]) {
  let runs = 0;
  const waiting = new Map<number, () => void>();
  const work = async () => {
    runs += 1;
    waiting.get(runs)?.();
    if (failing.includes(runs)) throw new Error('broken');
  };
  const run = (number: number) => new Promise<void>((resolve) => waiting.set(number, resolve));
  return { work, run, runs: () => runs };
}

describe('a periodic task', () => {
  it('runs until it is stopped', async () => {
    const { log } = aLog();
    const { work, run, runs } = someWork();
    const third = run(3);
    const repeating = runPeriodically(1, work, log);
    expect(runs()).toBe(0);
    await third;
    await repeating.stop();
    const [stopped, clock] = [runs(), someWork()];
    const later = clock.run(5);
    const ticking = runPeriodically(1, clock.work, log);
    await later;
    await ticking.stop();
    expect(runs()).toBe(stopped);
  });

  it('continues after a failure and logs only the first of several failures in a row', async () => {
    const { log, errors } = aLog();
    const { work, run } = someWork(1, 2, 4);
    const fifth = run(5);
    const repeating = runPeriodically(1, work, log);
    await fifth;
    await repeating.stop();
    expect(errors).toHaveLength(2);
  });

  it('waits for the current run when it is stopped, and does not run again', async () => {
    const { log } = aLog();
    const events: string[] = [];
    let begun = () => {};
    let open = () => {};
    const [beginning, gate] = [new Promise<void>((done) => (begun = done)), new Promise<void>((done) => (open = done))];
    const repeating = runPeriodically(
      1,
      async () => {
        begun();
        await gate;
        events.push('run');
      },
      log,
    );
    await beginning;
    const stopping = repeating.stop().then(() => events.push('stopped'));
    await new Promise(setImmediate);
    open();
    await stopping;
    expect(events).toEqual(['run', 'stopped']);
  });
});

describe('a deletion in chunks', () => {
  it('ends at the first empty chunk', async () => {
    const chunks = [500, 20, 0];
    expect(await deleteInChunks(async () => chunks.shift()!)).toBe(520);
    expect(chunks).toEqual([]);
  });

  it('leaves the rest of a large backlog to the next round', async () => {
    let chunks = 0;
    expect(await deleteInChunks(async () => ((chunks += 1), 10))).toBe(200);
    expect(chunks).toBe(20);
  });
});
