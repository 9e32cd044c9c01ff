import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ErrorsFilter } from './http/errors.filter.js';

/** Shared by all modules: settings, log, database, encryption, storage, egress and the error filter. */
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
      providers: [{ provide: APP_FILTER, useClass: ErrorsFilter }],
    };
  }
}
