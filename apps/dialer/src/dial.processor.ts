import { WAKE_WORKER } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { DialerService } from './dialer.service.js';

/** A wake-up says only that the waiting line changed; the call itself is claimed in the database. */
@Processor('dial', WAKE_WORKER)
export class DialProcessor extends WorkerHost {
  constructor(private readonly dialer: DialerService) {
    super();
  }

  process(): Promise<void> {
    this.dialer.wake();
    return Promise.resolve();
  }
}
