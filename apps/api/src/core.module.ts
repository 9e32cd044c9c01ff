import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';

/** Settings, log, database, encryption, storage and egress, for every module. */
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
    };
  }
}
