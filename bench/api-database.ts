import { hashToken, newToken, SCOPES, tokenHint } from '@app/auth';
import { migrate } from '@app/database';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import { BUSY, fillCalls, LARGE, USUAL } from './api-rows.js';

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

/** What a benchmark adds to the calls; `name` tells kept databases apart. */
interface MoreRows {
  name: string;
  fill: (url: string) => Promise<void>;
}

export interface DatabaseServer {
  /** A new database with this many calls; the server's `stop` removes it. */
  database(rows: number, more?: MoreRows): Promise<BenchDatabase>;
  stop(): Promise<void>;
}

/** The server of DATABASE_URL, or an embedded server whose data is removed after the run. */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const external = process.env.DATABASE_URL;
  const server = external ? { url: external, stop: () => Promise.resolve() } : await startOwnServer();
  const names: string[] = [];
  return {
    database: async (rows, more) => {
      if (external && process.env.BENCH_KEEP) return keptDatabase(external, rows, more);
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await onServer(server.url, `CREATE DATABASE ${name}`);
      names.push(name);
      const database = await prepared(urlOf(server.url, name), rows, more);
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

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The database of an earlier run with this many calls, or a new one, which is kept for the next run. */
async function keptDatabase(server: string, rows: number, more: MoreRows | undefined): Promise<BenchDatabase> {
  const name = ['bench', rows, ...(more ? [more.name] : [])].join('_');
  const found = await onServer(server, `SELECT 1 FROM pg_database WHERE datname = '${name}'`);
  if (found.length > 0) return accountsOf(urlOf(server, name), rows);
  // Named at the end: an interrupted run leaves no database that looks complete.
  const unfinished = `${name}_unfinished`;
  await onServer(server, `DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await onServer(server, `CREATE DATABASE ${unfinished}`);
  await prepared(urlOf(server, unfinished), rows, more);
  await onServer(server, `ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  await onServer(server, 'CHECKPOINT');
  return accountsOf(urlOf(server, name), rows);
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
export async function prepared(url: string, rows: number, more?: MoreRows): Promise<BenchDatabase> {
  await migrate(url);
  await fillCalls(url, rows);
  await more?.fill(url);
  return accountsOf(url, rows);
}

/** Creates tokens for a filled database. */
async function accountsOf(url: string, rows: number): Promise<BenchDatabase> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return {
      url,
      rows,
      large: await withToken(client, LARGE),
      usual: await withToken(client, USUAL),
      busy: await withToken(client, BUSY),
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

async function onServer(url: string, statement: string): Promise<object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}
