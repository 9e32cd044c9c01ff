import { Ingest } from '@app/knowledge';
import { DOCUMENT_QUEUE, WAKE_WORKER } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/**
 * A job says which document was added. Which one is next is decided in the database, where accounts take turns: the order of jobs would
 * let a thousand uploads of one of them go first.
 */
@Processor(DOCUMENT_QUEUE, WAKE_WORKER)
export class DocumentsProcessor extends WorkerHost {
  constructor(private readonly ingest: Ingest) {
    super();
  }

  process(): Promise<void> {
    this.ingest.wake();
    return Promise.resolve();
  }
}
