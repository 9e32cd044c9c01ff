import { workerOptions } from '@app/queue';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { DialerService } from './dialer.service.js';

/** A job is only a wake-up: the queue has changed. Calls are claimed in the database. */
@Processor('dial', workerOptions(1))
export class DialProcessor extends WorkerHost {
  constructor(private readonly dialer: DialerService) {
    super();
  }

  process(): Promise<void> {
    this.dialer.wake();
    return Promise.resolve();
  }
}
