import { type Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';

type WorkerOptions = NonNullable<Parameters<typeof Processor>[1]>;

/** The name of a job that is not of a named sweep. */
export const UNIT = 'unit';

/** Renewed by BullMQ while the job is at work, however long it takes. */
const LOCK_MS = 10_000;
const STALLED_MS = 5_000;
/** A token that is taken from a dead worker ends like any other: it must not fail because this happened often. */
const MAX_STALLED = 1_000;

/** The options of `@Processor`. Processors listen from `openQueues` on. `concurrency`: units of one process at the same time. */
export const workerOptions = (concurrency: number): WorkerOptions => ({
  autorun: false,
  concurrency,
  lockDuration: LOCK_MS,
  stalledInterval: STALLED_MS,
  maxStalledCount: MAX_STALLED,
});

/**
 * Takes the tokens of a queue: each means "claim one unit of this kind and do it". The queue has one waiting token at most; as soon as a
 * token is taken, announcements may queue the next one, and the service that claims a unit queues the next one as well (docs/job-queues.md).
 */
export abstract class JobProcessor extends WorkerHost {
  /** Interval in ms by the name of the job that a scheduler of BullMQ repeats. */
  abstract readonly schedules: Readonly<Record<string, number>>;

  /**
   * Claims one unit and does it. Resolves when it is done, with false if there was none. Rejects if it cannot be claimed or its outcome
   * cannot be stored: the unit is found again.
   */
  abstract perform(name: string): Promise<boolean>;

  async process(job: Job): Promise<boolean> {
    // Before the claim: what is announced after it needs another token.
    await job.removeDeduplicationKey();
    return this.perform(job.name);
  }
}
