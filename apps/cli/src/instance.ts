import { Encryption, type Env } from '@app/common';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from './problem.js';
import { fileURLToPath } from 'node:url';

/** Writes a file that only we may read, whole or not at all: readers never see half of it. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, file);
}

export const writePrivateJson = (file: string, value: unknown): void =>
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`);

/** undefined when there is no such file. */
export function readJson(file: string): unknown {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

/** The directory of package.json, from dist/apps/cli/src. */
const packageRoot = fileURLToPath(new URL('../../../..', import.meta.url));

/** Everything of one installation on this machine; relative to where the command was given. */
export const homeOf = (env: { TRUNKLINE_HOME: string }): string => resolve(env.TRUNKLINE_HOME);

/** For commands that look for a running installation: the home here, else the one of the clone this file belongs to. */
function runningHome(env: { TRUNKLINE_HOME: string }): string | undefined {
  const homes = [homeOf(env), resolve(packageRoot, env.TRUNKLINE_HOME)];
  return homes.find((home) => existsSync(join(home, 'ready.json')));
}

/** What `ready.json` does not show: how other commands on this machine reach the running installation. Mode 0600. */
interface Instance {
  database_url: string;
  secret_key: string;
}

const fileIn = (home: string): string => join(home, 'instance.json');

export const writeInstance = (home: string, instance: Instance): void => writePrivateJson(fileIn(home), instance);

/** The database of DATABASE_URL, else that of the installation that runs here. Throws Problem when there is neither. */
export function databaseUrl(env: Env): string {
  const url = env.DATABASE_URL ?? running(env)?.database_url;
  if (url) return url;
  throw new Problem(
    'There is no database to work on. Start Trunkline first (npm start), or set DATABASE_URL, for example ' +
      'DATABASE_URL=postgres://user:password@localhost:5432/trunkline',
  );
}

/** SECRET_KEY, else the key of the installation that runs here or was started in this home. */
export const findSecretKey = (env: Env): string | undefined =>
  env.SECRET_KEY ?? running(env)?.secret_key ?? keptKey(homeOf(env));

/** The same; throws Problem when there is none. */
export function secretKey(env: Env): string {
  const key = findSecretKey(env);
  if (key) return key;
  throw new Problem('SECRET_KEY is needed, the one that the other processes of this installation have.');
}

/** What this command seals with, and opens with. Throws Problem without a key. */
export const commandEncryption = (env: Env): Encryption => new Encryption(secretKey(env), env.SECRET_KEY_FALLBACKS);

/** With DATABASE_URL, what runs here may be another installation. */
function running(env: Env): Instance | undefined {
  const home = runningHome(env);
  const instance = home ? (readJson(fileIn(home)) as Instance | undefined) : undefined;
  return env.DATABASE_URL && instance?.database_url !== env.DATABASE_URL ? undefined : instance;
}

export const keyFile = (home: string): string => join(home, 'secret-key');

export function keptKey(home: string): string | undefined {
  return existsSync(keyFile(home)) ? readFileSync(keyFile(home), 'utf8').trim() : undefined;
}
