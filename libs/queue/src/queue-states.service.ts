import { Unavailable } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { KEPT_FAILURES } from './job-schedules.js';
import { type QueueState, QueueStatesRepository } from './queue-states.repository.js';
import { SharedBackend } from './shared-postgres.js';
import { within } from './time-limit.js';

const MAX_CLEANED = 1_000;
/** Redis that is away answers when it is back. */
const ANSWER_MS = 5_000;

@Injectable()
export class QueueStatesService {
  constructor(private readonly queues: readonly Queue[]) {}

  /** Of all queues, in one statement on PostgreSQL. Rejects with `Unavailable` while Redis does not answer. */
  async read(): Promise<QueueState[]> {
    // Typed for Redis; the backend is chosen by the settings.
    const backend: unknown = this.queues[0]?.getBackend();
    const names = this.queues.map(({ name }) => name);
    if (backend instanceof SharedBackend) return new QueueStatesRepository(backend).read(names);
    return within(ANSWER_MS, Promise.all(this.queues.map(stateOf))).catch((cause: unknown) => {
      throw new Unavailable('The queues do not answer. Try again.', { cause });
    });
  }
}

async function stateOf(queue: Queue): Promise<QueueState> {
  const { waiting = 0, active = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'failed');
  const [oldest] = waiting > 0 ? await queue.getJobs(['waiting'], 0, 0, true) : [];
  // BullMQ deletes older failures only when another job fails.
  const cleaned = failed > 0 ? await queue.clean(KEPT_FAILURES.age * 1_000, MAX_CLEANED, 'failed') : [];
  const dueAt = oldest ? oldest.timestamp + (oldest.opts.delay ?? 0) : undefined;
  const oldestSeconds = dueAt === undefined ? 0 : Math.max(0, Date.now() - dueAt) / 1_000;
  return { queue: queue.name, waiting, active, failed: failed - cleaned.length, oldestSeconds };
}
