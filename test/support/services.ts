import { createLog, loadEnv, type Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { WakeUps } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { Global, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Global()
@Module({ providers: [{ provide: WakeUps, useValue: { wake: () => undefined } }], exports: [WakeUps] })
class SweptModule {}

@Module({})
class ServicesModule {}

/**
 * The services of `modules` as a process composes them, on the database of `variables.DATABASE_URL`: `app.get(CallsService)`.
 * Nothing listens to queues. Close it at the end of the test. `given`: another log than the silent one.
 */
export function openServices(
  variables: Record<string, string>,
  modules: NonNullable<ModuleMetadata['imports']>,
  given?: Log,
): Promise<INestApplicationContext> {
  const env = loadEnv({ SECRET_KEY: 'the secret key of the tests, 32+ characters', LOG_LEVEL: 'silent', ...variables });
  const log = given ?? createLog({ level: env.LOG_LEVEL, role: 'test' });
  const settings = SettingsModule.forRoot({ env, log, role: 'test' });
  const root = {
    module: ServicesModule,
    imports: [settings, DatabaseModule.forRoot(), StorageModule, EgressModule, SweptModule, ...modules],
  };
  return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
}
