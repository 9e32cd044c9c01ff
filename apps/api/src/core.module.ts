import { type Links, linksOf } from '@app/calls';
import { Encryption, type Env, type Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { ENV, SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';

export const LINKS = 'LINKS';

/** What every module works with: settings, log, database, key, storage. */
@Module({})
export class CoreModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: CoreModule,
      global: true,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'api' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
      ],
      providers: [
        {
          provide: LINKS,
          inject: [ENV, Encryption],
          useFactory: (env: Env, key: Encryption): Links => linksOf(env, key),
        },
      ],
      exports: [LINKS],
    };
  }
}
