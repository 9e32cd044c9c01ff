import type { Env, Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import type { DynamicModule } from '@nestjs/common';
import type { Queue, QueueOptions } from 'bullmq';
import { queueOptions } from './queue-options.js';
import { prepareQueueSchema } from './queue-schema.js';
import { QueueStatesService } from './queue-states.service.js';
import { QUEUE_NAMES } from './queues.js';
import { WakeUpsService } from './wake-ups.service.js';

/** Gives `WakeUpsService` and `QueueStatesService`, and lets `@Processor` classes take the jobs of all queues. Connections close with the application. */
export class QueueModule {
  static forRoot(env: Env): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRootAsync({ useFactory: () => prepareOptions(env) }),
        ...QUEUE_NAMES.map((name) => BullModule.registerQueue({ name })),
      ],
      providers: [
        {
          provide: WakeUpsService,
          useFactory: (log: Log, ...queues: Queue[]) => new WakeUpsService(queues, log),
          inject: [LOG, ...QUEUE_NAMES.map((name) => getQueueToken(name))],
        },
        {
          provide: QueueStatesService,
          useFactory: (...queues: Queue[]) => new QueueStatesService(queues),
          inject: QUEUE_NAMES.map((name) => getQueueToken(name)),
        },
      ],
      exports: [WakeUpsService, QueueStatesService],
    };
  }
}

async function prepareOptions(env: Env): Promise<QueueOptions> {
  if (!env.QUEUE_URL && env.DATABASE_URL) await prepareQueueSchema(env.DATABASE_URL);
  return queueOptions(env);
}
