import { createLog, Encryption, type Env } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { SettingsModule } from '@app/settings';
import { WakeUps } from '@app/queue';
import { Global, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { checkKey } from './installation.js';
import { databaseUrl, findSecretKey, secretKey } from './instance.js';

/** Commands have no queue connection: the sweeps of the running processes find their work within a second. */
@Global()
@Module({ providers: [{ provide: WakeUps, useValue: { wake: () => undefined } }], exports: [WakeUps] })
class SweptModule {}

type Modules = NonNullable<ModuleMetadata['imports']>;

@Module({})
class CommandModule {}

/**
 * Creates a Nest context with the services of `modules` on the database of this installation. The log is silent: standard output
 * belongs to the command. The caller closes it.
 */
export function openServices(env: Env, modules: Modules): Promise<INestApplicationContext> {
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
  return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
}

/** Runs one piece of work with the services of `modules` and closes them again. */
export async function withServices<T>(
  env: Env,
  modules: Modules,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const services = await openServices(env, modules);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

/** `withServices` for commands that need SECRET_KEY. Throws Problem when there is no key, or not the one of this database. */
export function withSecrets<T>(
  env: Env,
  modules: Modules,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const settings = { ...env, SECRET_KEY: secretKey(env) };
  return withServices(settings, modules, async (services) => {
    await checkKey(services.get(Database).pool, services.get(Encryption));
    return work(services);
  });
}
