import type { Queue } from 'bullmq';

/** Failed jobs are kept for a day, so that the metrics show them. */
export const KEPT_FAILURES = { age: 86_400, count: 1_000 };

/**
 * Creates the schedulers of a queue, or repairs them after the queue lost its data; a scheduler that exists keeps its times. One that was
 * planned by a clock that was ahead starts again: the clock of another worker on Redis, or that of PostgreSQL before it was set back.
 */
export async function scheduleJobs(queue: Queue, schedules: Readonly<Record<string, number>>): Promise<void> {
  const opts = { removeOnComplete: true, removeOnFail: KEPT_FAILURES };
  for (const [name, every] of Object.entries(schedules)) {
    const schedule = () => queue.upsertJobScheduler(name, { every }, { name, opts });
    const next = await schedule();
    // While its last job is at work, a scheduler may skip one interval.
    if ((next.opts.delay ?? 0) <= 2 * every) continue;
    await queue.removeJobScheduler(name);
    await schedule();
  }
}
