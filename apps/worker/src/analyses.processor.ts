import { AnalysisRunnerService } from '@app/call-analysis';
import { WAKE_WORKER } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/** A job is only a wake-up: the runner reads the due analyses from the database (docs/decisions/0001). */
@Processor('analyses', WAKE_WORKER)
export class AnalysesProcessor extends WorkerHost {
  constructor(private readonly runner: AnalysisRunnerService) {
    super();
  }

  process(): Promise<void> {
    this.runner.wake();
    return Promise.resolve();
  }
}
