import { TestRunWorkerService } from '@app/simulation';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Plays the conversations of test runs. */
@Processor('test-runs', workerOptions(2))
export class TestRunsProcessor extends JobProcessor {
  readonly schedules = { unit: 5_000 };

  constructor(private readonly runs: TestRunWorkerService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.runs.playNext();
  }
}
