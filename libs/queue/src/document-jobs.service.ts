import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';

export const DOCUMENT_QUEUE = 'documents';

/** What a job of the queue `documents` carries: ids, never content. */
interface DocumentJob {
  knowledgeBaseId: number;
  generation: number;
}

/** With the queue's server away, adds that wait for it; what exceeds them is found by the sweeper. */
const MAX_WAITING = 100;

/**
 * Announces documents that wait to be processed. The row in the database is what counts: a job that is lost costs the time until
 * the next sweep, and one that comes twice finds the row taken.
 */
@Injectable()
export class DocumentJobsService {
  private waiting = 0;
  private down = false;

  constructor(
    @InjectQueue(DOCUMENT_QUEUE) private readonly queue: Queue,
    @Inject(LOG) private readonly log: Log,
  ) {
    queue.on('error', (error) => this.failed(error));
  }

  /** Call after the commit that made the row `pending`. Never throws, never delays the caller. */
  announce(job: DocumentJob): void {
    if (this.waiting >= MAX_WAITING) return;
    this.waiting++;
    this.add(job)
      .then(() => void (this.down = false))
      .catch((error: unknown) => this.failed(error))
      .finally(() => void this.waiting--);
  }

  private async add(job: DocumentJob): Promise<void> {
    await this.queue.add('process', job, {
      // BullMQ reads colons in job ids as its own.
      jobId: `kb-${job.knowledgeBaseId}-${job.generation}`,
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 1,
    });
  }

  /** Logged once until it works again. */
  private failed(error: unknown): void {
    if (this.down) return;
    this.down = true;
    this.log.warn(
      { queue: this.queue.name, err: error },
      'the queue cannot be reached, documents are found by sweeping',
    );
  }
}
