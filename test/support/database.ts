import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  /** Drops the database after its sessions have ended; terminates those that are left after five seconds. */
  drop(): Promise<void>;
}

/** A fresh, migrated, empty database: a clone of the template of the global setup (about 50 ms). */
export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase('TEMPLATE trunkline_template STRATEGY FILE_COPY');

/** A database without tables. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('');

async function createDatabase(how: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} ${how}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(name) };
}

const OBJECT_IN_USE = '55006';

/**
 * `end` of a pool does not wait until the server has ended the sessions, and a client whose session is terminated meanwhile emits an error.
 * PostgreSQL waits five seconds for them itself.
 */
async function dropDatabase(name: string): Promise<void> {
  try {
    await onServer(`DROP DATABASE IF EXISTS ${name}`);
  } catch (error) {
    if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is set by the global setup of the projects e2e, full and alone.');
  return url;
}
