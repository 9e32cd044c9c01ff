import type { Env } from '@app/common';
import { BullModule } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';
import type { QueueOptions } from 'bullmq';
import { DOCUMENT_QUEUE, DocumentJobsService } from './document-jobs.service.js';
import { queueOptions, WAKE_QUEUES } from './queue-options.js';
import { prepareQueueSchema } from './queue-schema.js';
import { WakeUpsService } from './wake-ups.service.js';

/**
 * Gives `WakeUpsService` and `DocumentJobsService`, and lets `@Processor` classes listen to `dial`, `webhooks`, `campaigns`, `analyses` and `documents`. Connections
 * close with the application.
 */
export class QueueModule {
  static forRoot(env: Env): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRootAsync({ useFactory: () => prepareOptions(env) }),
        ...[...WAKE_QUEUES, DOCUMENT_QUEUE].map((name) => BullModule.registerQueue({ name })),
      ],
      providers: [WakeUpsService, DocumentJobsService],
      exports: [WakeUpsService, DocumentJobsService],
    };
  }
}

async function prepareOptions(env: Env): Promise<QueueOptions> {
  if (!env.QUEUE_URL && env.DATABASE_URL) await prepareQueueSchema(env.DATABASE_URL);
  return queueOptions(env);
}
