import { CampaignRunnerService } from '@app/campaigns';
import { workerOptions } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/** A job is only a wake-up: the runner has a loop of its own, because it creates calls at a rate (docs/decisions/0001). */
@Processor('campaigns', workerOptions(1))
export class CampaignsProcessor extends WorkerHost {
  constructor(private readonly runner: CampaignRunnerService) {
    super();
  }

  process(): Promise<void> {
    this.runner.wake();
    return Promise.resolve();
  }
}
