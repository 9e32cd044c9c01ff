import { DocumentIngestService } from '@app/knowledge';
import { DOCUMENT_QUEUE, WAKE_WORKER } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/**
 * A job only wakes the ingest service. The database decides which document is next, with accounts in turn; by the order of jobs, a
 * thousand uploads of one account would come first.
 */
@Processor(DOCUMENT_QUEUE, WAKE_WORKER)
export class DocumentsProcessor extends WorkerHost {
  constructor(private readonly ingest: DocumentIngestService) {
    super();
  }

  process(): Promise<void> {
    this.ingest.wake();
    return Promise.resolve();
  }
}
