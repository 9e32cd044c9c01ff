import { JobProcessor, workerOptions } from '@app/queue';
import { WebhookDispatcherService } from '@app/webhooks';
import { Processor } from '@nestjs/bullmq';

/** Sends due webhooks until nothing is due. With two places, the next job reaches a dispatcher that already drains a backlog. */
@Processor('webhooks', workerOptions(2))
export class WebhooksProcessor extends JobProcessor {
  readonly schedules = { unit: 1_000 };

  constructor(private readonly dispatcher: WebhookDispatcherService) {
    super();
  }

  async perform(): Promise<boolean> {
    await this.dispatcher.drain();
    return false;
  }
}
