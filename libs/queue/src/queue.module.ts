import type { Env, Log } from '@app/common';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { DOCUMENT_QUEUE, DocumentJobs } from './document-jobs.js';
import { queueOptions, WAKE_QUEUES } from './queue-options.js';
import { WakeUps } from './wake-ups.js';

/**
 * Gives `WakeUps` and `DocumentJobs`, and lets `@Processor` classes listen to `dial`, `webhooks` and `documents`. Connections
 * close with the application.
 */
export class QueueModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRootAsync({ useFactory: () => queueOptions(env) }),
        ...[...WAKE_QUEUES, DOCUMENT_QUEUE].map((name) => BullModule.registerQueue({ name })),
      ],
      providers: [
        {
          provide: WakeUps,
          inject: WAKE_QUEUES.map((name) => getQueueToken(name)),
          useFactory: (dial: Queue, webhooks: Queue) => new WakeUps(dial, webhooks, log),
        },
        {
          provide: DocumentJobs,
          inject: [getQueueToken(DOCUMENT_QUEUE)],
          useFactory: (documents: Queue) => new DocumentJobs(documents, log),
        },
      ],
      exports: [WakeUps, DocumentJobs],
    };
  }
}
