import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Queue, Worker } from 'bullmq';
import { EventEmitter } from 'node:events';
import { LogLines } from '../../../test/support/log-lines.js';
import { JobProcessor } from './job-processor.js';
import { QueueListener } from './queue-listener.js';

/** BullMQ's worker as the listener uses it. */
class TestWorker extends EventEmitter {
  readonly name = 'documents';
  readonly closing = undefined;
  readonly states: string[] = [];

  run = () => new Promise<void>(() => undefined);
  pause = () => Promise.resolve(void this.states.push('paused'));
  resume = () => Promise.resolve(void this.states.push('resumed'));
}

class TestProcessor extends JobProcessor {
  readonly schedules = { unit: 1_000 };
  /** Units that are due. */
  due = 0;

  perform(): Promise<boolean> {
    const isDue = this.due > 0;
    if (isDue) this.due--;
    return Promise.resolve(isDue);
  }
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function listening() {
  const logs = new LogLines();
  const processor = new TestProcessor();
  const worker = new TestWorker();
  Object.assign(processor, { _worker: worker as unknown as Worker });
  const scheduled: unknown[] = [];
  const queue = {
    upsertJobScheduler: (...given: unknown[]) =>
      Promise.resolve({ opts: { delay: 1_000 }, place: scheduled.push(given) }),
  };
  new QueueListener(processor, queue as unknown as Queue, logs.log).start();
  return { logs, processor, worker, scheduled };
}

describe('the listener of a queue', () => {
  it('creates the schedulers of its processor, and renews them every minute', async () => {
    const { scheduled } = listening();
    const one = ['unit', { every: 1_000 }, expect.objectContaining({ name: 'unit' })];
    expect(scheduled).toEqual([one]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(scheduled).toEqual([one, one]);
  });

  it('does all units without jobs while the queue cannot be reached, and logs it once', async () => {
    const { logs, processor, worker } = listening();
    processor.due = 3;
    worker.emit('error', new Error('connect ECONNREFUSED'));
    worker.emit('error', new Error('connect ECONNREFUSED'));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(processor.due).toBe(0);
    expect(worker.states).toEqual(['paused', 'resumed']);
    expect(logs.lines.map(({ msg }) => msg)).toEqual(['a queue cannot be listened to, work is found by sweeping']);
  });

  it('leaves the units to jobs as soon as one arrives', async () => {
    const { processor, worker } = listening();
    worker.emit('error', new Error('connect ECONNREFUSED'));
    worker.emit('active');
    processor.due = 1;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(processor.due).toBe(1);
  });

  it('logs the first of several failures, until a job is completed', () => {
    const { logs, worker } = listening();
    const job = { processedOn: 1, finishedOn: 2 };
    const fail = (): boolean => worker.emit('failed', job, new Error('no database'));
    fail();
    fail();
    worker.emit('completed', job);
    fail();
    const msg = 'a job failed, and its work is found again';
    expect(logs.lines.map((line) => line.msg)).toEqual([msg, msg]);
  });
});
