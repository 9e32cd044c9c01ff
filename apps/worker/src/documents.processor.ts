import { DOCUMENTS_AT_ONCE, DocumentIngestService } from '@app/knowledge';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/**
 * Fetches, parses, chunks and embeds documents and crawled sites, accounts in turn: by the order of jobs, a thousand uploads of one
 * account would come first.
 */
@Processor('documents', workerOptions(DOCUMENTS_AT_ONCE))
export class DocumentsProcessor extends JobProcessor {
  readonly schedules = { unit: 1_000 };

  constructor(private readonly ingest: DocumentIngestService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.ingest.processNext();
  }
}
