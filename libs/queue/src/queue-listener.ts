import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import type { WorkerHost } from '@nestjs/bullmq';
import type { Job, Queue, Worker } from 'bullmq';
import { JobProcessor } from './job-processor.js';
import { scheduleJobs } from './job-schedules.js';

/** After an error BullMQ asks again at once, thousands of times a second. */
const PAUSE_MS = 1_000;
/** A queue that lost its data without losing a connection has its schedulers again after this time. */
const REPAIR_MS = 60_000;

/**
 * Runs the worker of one processor. While its queue cannot be reached, the processor looks for units without jobs, at the intervals of
 * its schedulers, so that an outage of Redis delays work by a second only. Errors are logged once until it works again.
 */
export class QueueListener {
  private readonly worker: Worker;
  private readonly schedules: [name: string, everyMs: number][];
  private readonly performing = new Set<string>();
  private sweeping: NodeJS.Timeout[] = [];
  private repairing: NodeJS.Timeout | undefined;
  private isScheduling = false;
  private isResting = false;
  private isUnreachable = false;
  private isFailing = false;

  constructor(
    private readonly processor: WorkerHost,
    private readonly queue: Queue,
    private readonly log: Log,
  ) {
    this.worker = processor.worker;
    this.schedules = processor instanceof JobProcessor ? Object.entries(processor.schedules) : [];
    this.worker
      .on('active', () => this.reached())
      .on('error', (err) => this.lost(err))
      .on('completed', (job: Job) => this.ended(job, 'completed'))
      .on('failed', (job: Job | undefined, err) => this.failed(job, err))
      .on('closing', () => this.end());
  }

  start(): void {
    this.schedule();
    if (this.schedules.length > 0) this.repairing = setInterval(() => this.schedule(), REPAIR_MS).unref();
    this.worker.run().catch((err: unknown) => this.worker.emit('error', err as Error));
  }

  private schedule(): void {
    // On a Redis that is away it resolves when it is back.
    if (this.isScheduling || this.worker.closing || this.schedules.length === 0) return;
    this.isScheduling = true;
    scheduleJobs(this.queue, Object.fromEntries(this.schedules))
      .catch((err: unknown) =>
        this.log.warn({ queue: this.worker.name, err }, 'the schedulers of a queue could not be renewed'),
      )
      .finally(() => (this.isScheduling = false));
  }

  private reached(): void {
    this.isUnreachable = false;
    this.stopSweeping();
  }

  private lost(err: Error): void {
    if (!this.isUnreachable)
      this.log.warn({ queue: this.worker.name, err }, 'a queue cannot be listened to, work is found by sweeping');
    this.isUnreachable = true;
    if (this.worker.closing) return;
    this.schedule();
    if (this.sweeping.length === 0)
      this.sweeping = this.schedules.map(([name, ms]) => setInterval(() => void this.sweep(name), ms));
    if (!this.isResting) void this.rest();
  }

  private async rest(): Promise<void> {
    this.isResting = true;
    await this.worker.pause(true);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    this.isResting = false;
    if (!this.worker.closing) await this.worker.resume();
  }

  /** Units one after the other, as long as there are some. */
  private async sweep(name: string): Promise<void> {
    if (this.performing.has(name) || !(this.processor instanceof JobProcessor)) return;
    this.performing.add(name);
    try {
      while (this.isUnreachable && (await this.processor.perform(name)));
    } catch (err) {
      this.reportFailure(err);
    } finally {
      this.performing.delete(name);
    }
  }

  private stopSweeping(): void {
    this.sweeping.forEach(clearInterval);
    this.sweeping = [];
  }

  private ended({ processedOn, finishedOn }: Job, outcome: 'completed' | 'failed'): void {
    const queue = this.worker.name;
    if (outcome === 'completed') this.isFailing = false;
    metrics.jobsEnded.inc({ queue, outcome });
    if (processedOn !== undefined && finishedOn !== undefined)
      metrics.jobSeconds.observe({ queue }, Math.max(0, finishedOn - processedOn) / 1_000);
  }

  private failed(job: Job | undefined, err: Error): void {
    if (job) this.ended(job, 'failed');
    this.reportFailure(err);
  }

  private reportFailure(err: unknown): void {
    if (!this.isFailing) this.log.error({ queue: this.worker.name, err }, 'a job failed, and its work is found again');
    this.isFailing = true;
  }

  private end(): void {
    clearInterval(this.repairing);
    this.stopSweeping();
    this.isUnreachable = false;
  }
}
