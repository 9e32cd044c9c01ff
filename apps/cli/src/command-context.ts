import { createLog, type Env } from '@app/common';
import { DatabaseModule } from '@app/database';
import { SettingsModule } from '@app/settings';
import { WakeUps } from '@app/queue';
import { Global, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { databaseUrl, findSecretKey } from './instance.js';

/** Commands have no queue connection: the sweeps of the running processes find their work within a second. */
@Global()
@Module({ providers: [{ provide: WakeUps, useValue: { wake: () => undefined } }], exports: [WakeUps] })
class SweptModule {}

@Module({})
class CommandModule {}

/**
 * Runs one piece of work with the services of `modules`, on the database of this installation, and closes them again. The log is
 * silent: standard output belongs to the command.
 */
export async function withServices<T>(
  env: Env,
  modules: NonNullable<ModuleMetadata['imports']>,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const settings = { ...env, DATABASE_URL: databaseUrl(env), SECRET_KEY: findSecretKey(env) };
  const log = createLog({ level: 'silent', role: 'cli' });
  const root = {
    module: CommandModule,
    imports: [
      SettingsModule.forRoot({ env: settings, log, role: 'cli' }),
      DatabaseModule.forRoot({ poolSize: 2 }),
      SweptModule,
      ...modules,
    ],
  };
  const services = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
