import type { Queue } from 'bullmq';

/** Failed jobs are kept for a day, so that the metrics show them. */
export const KEPT_FAILURES = { age: 86_400, count: 1_000 };

/** Creates the schedulers of a queue, or repairs them after the queue lost its data; a scheduler that exists keeps its times. */
export async function scheduleJobs(queue: Queue, schedules: Readonly<Record<string, number>>): Promise<void> {
  const opts = { removeOnComplete: true, removeOnFail: KEPT_FAILURES };
  for (const [name, every] of Object.entries(schedules))
    await queue.upsertJobScheduler(name, { every }, { name, opts });
}
