import { CampaignImportRunnerService } from '@app/campaigns';
import { JobProcessor, workerOptions } from '@app/queue';
import { Processor } from '@nestjs/bullmq';

/** Turns the rows of uploaded files into contacts. */
@Processor('contact-imports', workerOptions(2))
export class ContactImportsProcessor extends JobProcessor {
  readonly schedules = { unit: 5_000 };

  constructor(private readonly imports: CampaignImportRunnerService) {
    super();
  }

  perform(): Promise<boolean> {
    return this.imports.importNext();
  }
}
