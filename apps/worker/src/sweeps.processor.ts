import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';
import { SWEEPS, SweepsService } from './sweeps.service.js';

/** Runs the sweep that the job is named for. */
@Processor('sweeps', workerOptions(4))
export class SweepsProcessor extends JobProcessor {
  readonly schedules = SWEEPS;

  constructor(private readonly sweeps: SweepsService) {
    super();
  }

  async perform(name: string): Promise<boolean> {
    await this.sweeps.run(name);
    return false;
  }
}
