import { WAKE_WORKER } from '@app/queue';
import { WebhookDispatcherService } from '@app/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/** A job is only a wake-up: the dispatcher reads the due deliveries from the database (docs/decisions/0001). */
@Processor('webhooks', WAKE_WORKER)
export class WebhooksProcessor extends WorkerHost {
  constructor(private readonly dispatcher: WebhookDispatcherService) {
    super();
  }

  process(): Promise<void> {
    this.dispatcher.wake();
    return Promise.resolve();
  }
}
