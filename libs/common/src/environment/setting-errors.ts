import { Encryption } from '../values/encryption.js';
import type { Env } from './env.js';

/** A required variable is missing; the message names it and shows an example. */
export class MissingSetting extends Error {}

export function databaseUrl({ DATABASE_URL }: Pick<Env, 'DATABASE_URL'>): string {
  if (DATABASE_URL) return DATABASE_URL;
  throw new MissingSetting('DATABASE_URL is required, for example postgres://user:password@host:5432/trunkline');
}

export function secretKey({ SECRET_KEY }: Pick<Env, 'SECRET_KEY'>): string {
  if (SECRET_KEY) return SECRET_KEY;
  throw new MissingSetting('SECRET_KEY is required: the output of openssl rand -hex 32, the same in every process.');
}

/** The encryption of secrets in this process. */
export const encryptionOf = (env: Pick<Env, 'SECRET_KEY' | 'SECRET_KEY_FALLBACKS'>): Encryption =>
  new Encryption(secretKey(env), env.SECRET_KEY_FALLBACKS);

/** A well-formed variable whose port or file cannot be used; the message names it and says what to do. */
export class UnusableSetting extends Error {}

const PORTS: Record<string, (name: string) => string> = {
  EADDRINUSE: (name) => `is in use by another program. Set ${name} to a free port.`,
  EACCES: (name) => `requires privileges that this process does not have. Set ${name} to 1024 or more.`,
};
const FILES: Record<string, string> = {
  ENOENT: 'does not exist.',
  EACCES: 'cannot be read by this process.',
  EISDIR: 'is a folder, not a file.',
};

/** Names the variable whose port or file caused the error; other errors are returned unchanged. */
export function bySetting(error: unknown, settings: Readonly<Record<string, number | string | undefined>>): unknown {
  const { code = '', port, path } = error as NodeJS.ErrnoException & { port?: number };
  const [name, value] =
    Object.entries(settings).find(([, one]) => one !== undefined && (one === port || one === path)) ?? [];
  if (name === undefined) return error;
  const sentence = value === port ? PORTS[code]?.(name) : FILES[code];
  return sentence === undefined ? error : new UnusableSetting(`${name} ${value} ${sentence}`, { cause: error });
}
