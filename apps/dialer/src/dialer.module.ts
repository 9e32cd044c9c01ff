import { AgentsModule, PRICE_BOOK, SummaryModel } from '@app/agents';
import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { QueueModule, WakeUps } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { Storage, StorageModule } from '@app/storage';
import { ToolRunner, ToolsModule, ToolsService } from '@app/tools';
import { EgressModule } from '@app/egress';
import type { PriceBook } from '@app/voice';
import { type DynamicModule, Module } from '@nestjs/common';
import { DialProcessor } from './dial.processor.js';
import { Dialer } from './dialer.js';
import { openDialer, type OpenDialer } from './open-dialer.js';

/** `app.get<OpenDialer>(DIALER)`. */
export const DIALER = Symbol('DIALER');

/** The composition root of the dialer process. `onLost`: its calls were given to others, the process must end. */
@Module({})
export class DialerModule {
  static forRoot(env: Env, log: Log, onLost: () => void): DynamicModule {
    return {
      module: DialerModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'dialer' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        ToolsModule,
        AgentsModule,
        QueueModule.forRoot(env, log),
      ],
      providers: [
        {
          provide: DIALER,
          inject: [Database, Encryption, Storage, WakeUps, ToolsService, ToolRunner, PRICE_BOOK, SummaryModel],
          useFactory: (
            database: Database,
            encryption: Encryption,
            storage: Storage,
            wakeUps: WakeUps,
            tools: ToolsService,
            runner: ToolRunner,
            prices: PriceBook,
            summaries: SummaryModel,
          ) => {
            const wakeWebhooks = (): void => wakeUps.wake('webhooks');
            const features = { tools, runner, prices, summaries };
            return openDialer({ env, log, database, encryption, storage, ...features, onLost, wakeWebhooks });
          },
        },
        { provide: Dialer, inject: [DIALER], useFactory: ({ dialer }: OpenDialer) => dialer },
        DialProcessor,
      ],
    };
  }
}
