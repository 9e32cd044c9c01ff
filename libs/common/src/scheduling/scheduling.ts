import { setImmediate } from 'node:timers/promises';
import type { Log } from '../process/log.js';

export interface PeriodicTask {
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Runs `work` until stopped, with a pause of `ms` after each run; a function gives the pause after that run. The first of several consecutive failures is logged. */
export function runPeriodically(ms: number | (() => number), work: () => Promise<void>, log: Log): PeriodicTask {
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.error({ err }, 'a periodic task failed and is retried');
      failing = true;
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(
      () => {
        running = round();
      },
      typeof ms === 'number' ? ms : ms(),
    );
  };
  schedule();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

const MAX_CHUNKS = 20;

/** Repeats the deletion of a chunk until it deletes nothing, 20 times at most: the next round goes on. @returns the number of deleted rows */
export async function deleteInChunks(deleteChunk: () => Promise<number>): Promise<number> {
  let deleted = 0;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const count = await deleteChunk();
    if (count === 0) break;
    deleted += count;
  }
  return deleted;
}

/** Keeps the event loop responsive during long work: check `due` often, and await `pause()` when it is true. */
export class CooperativeYield {
  private began = performance.now();

  /** @param ms of work between two pauses. */
  constructor(private readonly ms = 2) {}

  get due(): boolean {
    return performance.now() - this.began > this.ms;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }
}
