import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';
import { RetentionService } from './retention.service.js';

/** Deletes what is beyond its retention, in rounds. */
@Processor('retention', workerOptions(1))
export class RetentionProcessor extends JobProcessor {
  readonly schedules = { unit: 60_000 };

  constructor(private readonly retention: RetentionService) {
    super();
  }

  async perform(): Promise<boolean> {
    await this.retention.deleteExpired();
    return false;
  }
}
