import { hashToken, newToken, SCOPES, tokenHint } from '@app/auth';
import { migrate } from '@app/database';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import { fillCalls } from './api-rows.js';

/** One account of the database, with what a request needs. */
export interface BenchAccount {
  accountId: number;
  agentId: number;
  numberId: number;
  token: string;
}

export interface BenchDatabase {
  url: string;
  rows: number;
  /** Owns a fifth of all calls. */
  large: BenchAccount;
  /** Owns 2,000 calls. */
  usual: BenchAccount;
  /** Receives new calls, so that the lists of the other accounts stay unchanged. */
  busy: BenchAccount;
}

export interface DatabaseServer {
  /** A new database with this many calls; the server's `stop` removes it. */
  database(rows: number): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

/** The server of DATABASE_URL, or an embedded server whose data is removed after the run. */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const external = process.env.DATABASE_URL;
  const server = external ? { url: external, stop: () => Promise.resolve() } : await startOwnServer();
  const names: string[] = [];
  return {
    database: async (rows) => {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await onServer(server.url, `CREATE DATABASE ${name}`);
      names.push(name);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      const database = await prepared(url.href, rows);
      // Otherwise the server writes the inserted rows to disk for minutes during the measurement.
      if (!external) await onServer(server.url, 'CHECKPOINT');
      return database;
    },
    stop: async () => {
      for (const name of names) await onServer(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function startOwnServer() {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(home, 0o711);
  // Without flushing to disk: disk latency would hide the cost of the processes under test.
  const server = await startEmbeddedPostgres({ home, durable: false });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Migrates an empty database and fills it. */
export async function prepared(url: string, rows: number): Promise<BenchDatabase> {
  await migrate(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { large, usual, busy } = await fillCalls(client, rows);
    return {
      url,
      rows,
      large: await withToken(client, large),
      usual: await withToken(client, usual),
      busy: await withToken(client, busy),
    };
  } finally {
    await client.end();
  }
}

/** Agent and number have the same id as their account: fillCalls inserts them together. */
async function withToken(client: Client, accountId: number): Promise<BenchAccount> {
  const token = newToken();
  await client.query(
    `INSERT INTO api_tokens (account_id, name, token_hash, hint, scopes) VALUES ($1, 'bench', $2, $3, $4)`,
    [accountId, hashToken(token), tokenHint(token), SCOPES],
  );
  return { accountId, agentId: accountId, numberId: accountId, token };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
