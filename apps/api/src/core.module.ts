import { type Links, linksOf } from '@app/calls';
import { Encryption, type Env, type Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { ENV, SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ErrorsFilter } from './http/errors.filter.js';

export const LINKS = 'LINKS';

/** Shared by all modules: settings, log, database, key, storage, and the answers to errors. */
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
        { provide: APP_FILTER, useClass: ErrorsFilter },
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
