import { VectorBackfillService } from '@app/knowledge';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Adds missing vectors of the configured model. */
@Processor('vectors', workerOptions(1))
export class VectorsProcessor extends JobProcessor {
  readonly schedules = { unit: 5_000 };

  constructor(private readonly backfill: VectorBackfillService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.backfill.completeNext();
  }
}
