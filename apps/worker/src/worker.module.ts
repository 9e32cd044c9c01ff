import type { Env, Log } from '@app/common';
import { Ingest } from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { WebhookDispatcher } from '@app/webhooks';
import { type DynamicModule, Module } from '@nestjs/common';
import { DocumentsProcessor } from './documents.processor.js';
import { WebhooksProcessor } from './webhooks.processor.js';

/** What wake-ups are for. */
export interface Wakened {
  dispatcher: WebhookDispatcher;
  ingest: Ingest;
}

/** Listens for wake-ups; what does the work is made by `openWorker`, and taken down in order by `main`. */
@Module({})
export class WorkerModule {
  static forWorker(env: Env, log: Log, { dispatcher, ingest }: Wakened): DynamicModule {
    return {
      module: WorkerModule,
      imports: [QueueModule.forRoot(env, log)],
      providers: [
        { provide: WebhookDispatcher, useValue: dispatcher },
        { provide: Ingest, useValue: ingest },
        WebhooksProcessor,
        DocumentsProcessor,
      ],
    };
  }
}
