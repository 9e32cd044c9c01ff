import { EmbedderChecksService } from '@app/knowledge';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Compares searches with and without the embedder. */
@Processor('embedder-checks', workerOptions(1))
export class EmbedderChecksProcessor extends JobProcessor {
  /** A check does not queue the next one: at most 25 questions a second. */
  readonly schedules = { unit: 5_000 };

  constructor(private readonly checks: EmbedderChecksService) {
    super();
  }

  async perform(): Promise<boolean> {
    await this.checks.checkNext();
    return false;
  }
}
