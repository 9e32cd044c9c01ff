import { AccountsModule, TrunksService } from '@app/accounts';
import { Encryption, type Env, type Log } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { QueueModule, WakeUps } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { Storage, StorageModule } from '@app/storage';
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
        QueueModule.forRoot(env, log),
        AccountsModule,
      ],
      providers: [
        {
          provide: DIALER,
          inject: [Database, Encryption, Storage, WakeUps, TrunksService],
          useFactory: (
            database: Database,
            encryption: Encryption,
            storage: Storage,
            wakeUps: WakeUps,
            trunks: TrunksService,
          ) => {
            const wakeWebhooks = (): void => wakeUps.wake('webhooks');
            return openDialer({ env, log, database, encryption, storage, trunks, onLost, wakeWebhooks });
          },
        },
        { provide: Dialer, inject: [DIALER], useFactory: ({ dialer }: OpenDialer) => dialer },
        DialProcessor,
      ],
    };
  }
}
