import { WAKE_WORKER } from '@app/queue';
import { WebhookDispatcher } from '@app/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';

/** A wake-up says only that something was added to the outbox; what is due is looked up in the database. */
@Processor('webhooks', WAKE_WORKER)
export class WebhooksProcessor extends WorkerHost {
  constructor(private readonly dispatcher: WebhookDispatcher) {
    super();
  }

  process(): Promise<void> {
    this.dispatcher.wake();
    return Promise.resolve();
  }
}
