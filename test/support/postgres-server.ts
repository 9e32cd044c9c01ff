import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../apps/cli/src/postgres/embedded-postgres.js';

/** Name of the database that `createTestDatabase` clones. */
const TEMPLATE = 'trunkline_template';

export interface TestServer {
  /** URL of the server's own, empty database. */
  url: string;
  stop(): Promise<void>;
}

/** Creates the tables of the service and of its queues in an empty database. */
type PrepareDatabase = (url: string) => Promise<void>;

/** Starts one PostgreSQL for the whole run in a temporary directory, with a prepared database to clone. */
export async function startTestServer(prepare: PrepareDatabase): Promise<TestServer> {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-test-'));
  // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(home, 0o711);
  const server = await startEmbeddedPostgres({ home, durable: false });
  const stop = async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await makeTemplate(server.url, prepare);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}

async function makeTemplate(serverUrl: string, prepare: PrepareDatabase): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
    const url = new URL(serverUrl);
    url.pathname = `/${TEMPLATE}`;
    await prepare(url.href);
    // A database can be cloned only without connections, so connections are disabled.
    await client.query(`ALTER DATABASE ${TEMPLATE} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  } finally {
    await client.end();
  }
}
