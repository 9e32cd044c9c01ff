import { createLog, loadEnv, type Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { Egress, EgressModule } from '@app/egress';
import { WakeUpsService } from '@app/queue';
import { SettingsModule } from '@app/common/settings';
import { StorageModule } from '@app/storage';
import { type DynamicModule, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Module({})
class ServicesModule {}

@Module({})
class GivenModule {}

export interface ServicesOptions {
  log?: Log;
  /** Replaces the Egress of the variables. */
  egress?: Egress;
  /** Called instead of queueing a wake-up; no process consumes queues. */
  wake?: WakeUpsService['wake'];
}

/** A Nest context with the services of `modules` on the database of `variables.DATABASE_URL`: `services.get(CallsService)`. */
export function openServices(
  variables: Record<string, string>,
  modules: NonNullable<ModuleMetadata['imports']>,
  { log, egress, wake = () => undefined }: ServicesOptions = {},
): Promise<INestApplicationContext> {
  const env = loadEnv({ SECRET_KEY: 'the secret key of the tests, 32+ characters', LOG_LEVEL: 'silent', ...variables });
  const settings = { env, log: log ?? createLog({ level: env.LOG_LEVEL, role: 'test' }), role: 'test' };
  const given = [
    { provide: WakeUpsService, useValue: { wake, wakeNext: wake } },
    ...(egress ? [{ provide: Egress, useValue: egress }] : []),
  ];
  const root: DynamicModule = {
    module: ServicesModule,
    imports: [
      SettingsModule.forRoot(settings),
      DatabaseModule.forRoot(),
      StorageModule,
      ...(egress ? [] : [EgressModule]),
      { module: GivenModule, global: true, providers: given, exports: given.map(({ provide }) => provide) },
      ...modules,
    ],
  };
  return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
}
