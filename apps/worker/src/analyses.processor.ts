import { AnalysisRunnerService } from '@app/call-analysis';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Analyses calls: each waits for a model. */
@Processor('analyses', workerOptions(8))
export class AnalysesProcessor extends JobProcessor {
  readonly schedules = { unit: 1_000 };

  constructor(private readonly runner: AnalysisRunnerService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.runner.runNext();
  }
}
