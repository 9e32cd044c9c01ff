import { AccountsService } from '@app/accounts';
import { WorkspaceService } from '@app/workspace';
import { SCOPES, TokensService } from '@app/auth';
import type { Encryption, Env } from '@app/common';
import {
  dataSourceOptions,
  isMissingPrivilege,
  keepKeyFingerprint,
  migrate,
  missingPrivileges,
  type Privileges,
  type Sql,
} from '@app/database';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Problem } from './problem.js';
import { prepareQueueSchema } from '@app/queue';
import { databaseUrl } from './installation-home.js';

/** Opens the database for `work` and closes it afterwards. */
export async function withDatabase<T>(url: string, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await new DataSource(dataSourceOptions(url, 2)).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Stores the fingerprint of the key at the first start. Later throws Problem for a different key: it could not decrypt stored secrets, and
 * the other processes could not decrypt new ones.
 */
export async function checkKey(sql: Sql, encryption: Encryption): Promise<void> {
  const fingerprint = await keepKeyFingerprint(sql, encryption.fingerprint);
  if (fingerprint === undefined || encryption.fingerprints.includes(fingerprint)) return;
  throw new Problem(
    'SECRET_KEY is not the key that encrypts the secrets of this database. Set the SECRET_KEY of its first start ' +
      '(an embedded installation stores it in the file secret-key of its home).',
  );
}

/** Creates the first account with the operator's token if the database has no account yet. */
export async function bootstrap(
  services: INestApplicationContext,
  { token, account: name }: { token: string; account: string },
): Promise<void> {
  if (await services.get(AccountsService).any()) return;
  const file = JSON.stringify({ accounts: [{ name }] });
  const { accounts } = await services.get(WorkspaceService).apply(file, 'BOOTSTRAP_ACCOUNT');
  const [account] = accounts;
  // Several processes may start at once; only one of them creates the account.
  if (account?.result !== 'created') return;
  await services.get(TokensService).issue({ accountId: account.id, name: 'bootstrap', scopes: SCOPES, token });
}

const PAGE = 'docs/operate/install.md, section "Database roles", has the SQL.';

/** Remedy for a database role without the privileges that a running process needs. */
export const GRANT_REMEDY = `Grant the missing privileges to the role of DATABASE_URL, as the role that owns the tables: ${PAGE}`;

/** Rejects with a Problem that names the required role when PostgreSQL denies this role a schema change. */
export const asOwner = <T>(command: string, work: () => Promise<T>): Promise<T> =>
  explain(work, `\`trunkline ${command}\` needs the role that owns the tables: set DATABASE_URL to it. ${PAGE}`);

/** Rejects with a Problem that names the missing grant when PostgreSQL denies this role access to rows. */
export const asServer = <T>(work: () => Promise<T>): Promise<T> =>
  explain(work, `Run \`trunkline migrate\` as the role that owns the tables. ${GRANT_REMEDY}`);

async function explain<T>(work: () => Promise<T>, remedy: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingPrivilege(error)) throw error;
    throw new Problem(`PostgreSQL denied access: ${(error as Error).message} (42501). ${remedy}`, { cause: error });
  }
}

/** Schemas that a process reads and writes; the queue has one only without Redis. */
export const schemasOf = ({ QUEUE_URL: redis }: { QUEUE_URL?: string | undefined }): string[] =>
  redis === undefined ? ['public', 'bullmq'] : ['public'];

/** Throws Problem when the role lacks privileges, before any process starts. */
export async function requirePrivileges(sql: Sql, schemas: readonly string[]): Promise<void> {
  const lack = lackOf(await missingPrivileges(sql, schemas));
  if (lack) throw new Problem(`The database role lacks privileges: ${lack}. ${GRANT_REMEDY}`);
}

/** `the role x may not …`; undefined: no privilege is missing. */
export function lackOf({ role, schemas, tables }: Privileges): string | undefined {
  if (schemas.length > 0) return `the role ${role} may not use the schema ${schemas[0]}`;
  if (tables.length === 0) return undefined;
  const others = tables.length === 1 ? '' : ` and ${tables.length - 1} more`;
  return `the role ${role} may not read and write ${tables[0]}${others}`;
}

/** Migrates the database to this release, including the queue's tables unless Redis holds the queue. @returns the migrations that ran */
export const migrateAll = (url: string, { QUEUE_URL: redis }: Pick<Env, 'QUEUE_URL'>): Promise<string[]> =>
  asOwner('migrate', async () => {
    const names = await migrate(url);
    if (redis === undefined) await prepareQueueSchema(url);
    return names;
  });

export async function migrateCommand(env: Env): Promise<void> {
  const names = await migrateAll(databaseUrl(env), env);
  console.log(names.length > 0 ? names.join('\n') : 'The database is up to date.');
}
