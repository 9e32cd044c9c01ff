import type { Log } from '@app/common';
import type { Queue } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { KEPT_FAILURES } from './job-schedules.js';
import { UNIT } from './job-processor.js';
import { type QueueName, QUEUES } from './queues.js';

/** At most one announcement per queue and process in this time: the process that takes it looks at everything that is due. */
const SPACING_MS = 20;

/** Queues the next token of one queue, unless one is waiting. Never fails and never waits. */
class Bell {
  private busy = false;
  private again = false;
  private down = false;

  constructor(
    private readonly queue: Queue,
    private readonly log: Log,
  ) {
    queue.on('error', (error) => this.failed(error));
  }

  /** Rings during a pause are joined into one at its end. */
  ring(): void {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.add(0)
      .catch((error: unknown) => this.failed(error))
      .finally(() => setTimeout(() => this.free(), SPACING_MS).unref());
  }

  ringNow(delayMs: number): void {
    this.add(delayMs).catch((error: unknown) => this.failed(error));
  }

  private async add(delay: number): Promise<void> {
    // Without keepLastIfActive a wake-up that comes while the last one is being handled is lost (88 of 2,000 measured).
    const keepLastIfActive = QUEUES[this.queue.name as QueueName].job === 'wake';
    await this.queue.add(
      UNIT,
      {},
      {
        // Without an id BullMQ creates a sequence in PostgreSQL, which the role that serves may not.
        jobId: randomUUID(),
        deduplication: { id: 'next', keepLastIfActive },
        removeOnComplete: true,
        removeOnFail: KEPT_FAILURES,
        attempts: 1,
        ...(delay > 0 && { delay }),
      },
    );
    this.down = false;
  }

  private free(): void {
    this.busy = false;
    if (!this.again) return;
    this.again = false;
    this.ring();
  }

  /** The work is found without a token, so an outage costs a second of delay: it is logged once, not fatal. */
  private failed(error: unknown): void {
    if (this.down) return;
    this.down = true;
    this.log.warn({ queue: this.queue.name, err: error }, 'the queue cannot be reached, work is found by sweeping');
  }
}

/** Tells the processes that take the jobs of a queue that there may be work. */
export class WakeUpsService {
  private readonly bells: ReadonlyMap<string, Bell>;

  constructor(queues: readonly Queue[], log: Log) {
    this.bells = new Map(queues.map((queue) => [queue.name, new Bell(queue, log)]));
  }

  /** Call after the commit. Never throws, never delays the caller. */
  wake(queue: QueueName): void {
    this.bells.get(queue)!.ring();
  }

  /** Call after the claim of a unit: another one may be due, for another job. Not spaced, unlike announcements. */
  wakeNext(queue: QueueName, delayMs = 0): void {
    this.bells.get(queue)!.ringNow(delayMs);
  }
}
