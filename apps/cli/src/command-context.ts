import { AccountsService, isCountry } from '@app/accounts';
import { createLog, Encryption, type Env, InvalidFields, NotFound } from '@app/common';
import { Database, DatabaseModule } from '@app/database';
import { SettingsModule } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { Global, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { checkKey } from './installation.js';
import { databaseUrl, findEmbedderUrl, findSecretKey, secretKey } from './installation-home.js';
import { Problem } from './problem.js';
import type { Actor } from '@app/audit';
import { userInfo } from 'node:os';

/** Commands have no queue connection: the sweeps of the running processes find new work within a second. */
@Global()
@Module({
  providers: [{ provide: WakeUpsService, useValue: { wake: () => undefined, wakeNext: () => undefined } }],
  exports: [WakeUpsService],
})
class SweptModule {}

type Modules = NonNullable<ModuleMetadata['imports']>;

@Module({})
class CommandModule {}

/**
 * Creates a Nest context with the services of `modules` on the database of this installation. The log is silent: standard output
 * belongs to the command. The caller closes it.
 */
export function openServices(env: Env, modules: Modules): Promise<INestApplicationContext> {
  const settings = {
    ...env,
    DATABASE_URL: databaseUrl(env),
    SECRET_KEY: findSecretKey(env),
    EMBEDDER_URL: findEmbedderUrl(env),
  };
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

/** Runs `work` with the services of `modules` and closes them afterwards. */
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

/** `withServices` for commands that need SECRET_KEY. Throws Problem when the key is missing or does not match this database. */
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

const MAX_NAMES = 20;

/** The account of this name; without a name, the only account. Throws Problem with the names of the existing accounts. */
export async function accountIdOf(accounts: AccountsService, named: string | undefined): Promise<number> {
  const name = named ?? (await onlyAccount(accounts));
  const id = await accounts.idByName(name);
  if (id !== undefined) return id;
  const names = await accounts.names(MAX_NAMES);
  throw new Problem(`There is no account "${name}". The accounts are: ${names.join(', ') || 'none yet'}.`);
}

/** Throws Problem unless there is one account. */
export async function onlyAccount(accounts: AccountsService): Promise<string> {
  const names = await accounts.names(MAX_NAMES);
  const [name, another] = names;
  if (name === undefined)
    throw new Problem('No account exists yet. Create one from a workspace file with `trunkline apply`.');
  if (another !== undefined)
    throw new Problem(`There are several accounts, choose one with --account: ${names.join(', ')}.`);
  return name;
}

/** An account and the services of a command. */
export interface AccountPlace {
  accountId: number;
  services: INestApplicationContext;
}

/** Options of a command on one account. */
export interface AccountOptions {
  /** A name. undefined: the only account of the installation. */
  account?: string;
  json?: boolean;
}

/** The services that a command on an account needs. */
export interface AccountCommand {
  /** With AccountsModule. */
  modules: Modules;
  /** It reads or writes encrypted values: the key must match the database. */
  needsKey?: true;
}

/**
 * Runs `work` on the account of this name; without a name, on the only account. Records that do not exist, and invalid fields, become
 * problems.
 */
export function onAccount<T>(
  env: Env,
  { modules, needsKey }: AccountCommand,
  { account }: AccountOptions,
  work: (place: AccountPlace) => Promise<T>,
): Promise<T> {
  return (needsKey ? withSecrets : withServices)(env, modules, async (services) => {
    const accountId = await accountIdOf(services.get(AccountsService), account);
    return work({ accountId, services }).catch((error: unknown) => {
      if (error instanceof NotFound) throw new Problem(error.message, { cause: error });
      if (!(error instanceof InvalidFields)) throw error;
      const lines = Object.entries(error.fields).flatMap(([field, messages]) =>
        messages.map((one) => `${field}: ${one}`),
      );
      throw new Problem(lines.join('\n'), { cause: error });
    });
  });
}

/** The option `--default-country`. Throws Problem. */
export function countryOf(text: string | undefined): string | undefined {
  const country = text?.toUpperCase();
  if (country === undefined || isCountry(country)) return country;
  throw new Problem('--default-country must be a country of ISO 3166-1 alpha-2 such as DE.');
}

/** The actor of a command in the audit log: the name of the system user. */
export function operator(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username };
  } catch {
    // A container may run as a user without a name.
    return { kind: 'cli' };
  }
}
