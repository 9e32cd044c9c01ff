import { DueTestsService } from '@app/knowledge';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Runs the retrieval tests of agents whose knowledge or tests changed. */
@Processor('retrieval-tests', workerOptions(1))
export class RetrievalTestsProcessor extends JobProcessor {
  readonly schedules = { unit: 5_000 };

  constructor(private readonly tests: DueTestsService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.tests.runNext();
  }
}
