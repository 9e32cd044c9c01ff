import type { Env, Log } from '@app/common';
import { QueueModule } from '@app/queue';
import { WebhookDispatcher } from '@app/webhooks';
import { type DynamicModule, Module } from '@nestjs/common';
import { WebhooksProcessor } from './webhooks.processor.js';

/** Listens for wake-ups; what does the work is made by `openWorker`, and taken down in order by `main`. */
@Module({})
export class WorkerModule {
  static forWorker(env: Env, log: Log, dispatcher: WebhookDispatcher): DynamicModule {
    return {
      module: WorkerModule,
      imports: [QueueModule.forRoot(env, log)],
      providers: [{ provide: WebhookDispatcher, useValue: dispatcher }, WebhooksProcessor],
    };
  }
}
