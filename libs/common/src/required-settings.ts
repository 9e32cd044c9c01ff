import type { Env } from './env.js';
import { Encryption } from './encryption.js';

/** A variable without which this process cannot run; the message says which and what it looks like. */
export class MissingSetting extends Error {}

export function databaseUrl({ DATABASE_URL }: Pick<Env, 'DATABASE_URL'>): string {
  if (DATABASE_URL) return DATABASE_URL;
  throw new MissingSetting('DATABASE_URL is needed, for example postgres://user:password@host:5432/trunkline');
}

export function secretKey({ SECRET_KEY }: Pick<Env, 'SECRET_KEY'>): string {
  if (SECRET_KEY) return SECRET_KEY;
  throw new MissingSetting('SECRET_KEY is needed: the output of openssl rand -hex 32, the same in every process.');
}

/** What this process seals with, and opens with. */
export const encryptionOf = (env: Pick<Env, 'SECRET_KEY' | 'SECRET_KEY_FALLBACKS'>): Encryption =>
  new Encryption(secretKey(env), env.SECRET_KEY_FALLBACKS);
