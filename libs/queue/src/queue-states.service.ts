import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { KEPT_FAILURES } from './job-schedules.js';

const MAX_CLEANED = 1_000;

/** What BullMQ says of the jobs of a queue. */
export interface QueueState {
  queue: string;
  waiting: number;
  /** Units at work in all processes. */
  active: number;
  /** In the last day. */
  failed: number;
  /** How long the oldest waiting job has waited: for so long no process had a free place. */
  oldestSeconds: number;
}

@Injectable()
export class QueueStatesService {
  constructor(private readonly queues: readonly Queue[]) {}

  async read(): Promise<QueueState[]> {
    const states: QueueState[] = [];
    for (const queue of this.queues) states.push(await stateOf(queue));
    return states;
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
