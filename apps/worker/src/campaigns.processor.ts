import { CampaignRunnerService } from '@app/campaigns';
import { WAKE_WORKER } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/** A job is only a wake-up: the runner reads campaigns and contacts from the database (docs/decisions/0001). */
@Processor('campaigns', WAKE_WORKER)
export class CampaignsProcessor extends WorkerHost {
  constructor(private readonly runner: CampaignRunnerService) {
    super();
  }

  process(): Promise<void> {
    this.runner.wake();
    return Promise.resolve();
  }
}
