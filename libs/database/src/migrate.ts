import { isPooled } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { dataSourceOptions } from './data-source-options.js';
import { loadMigrations, type MigrationFile, pendingMigrations } from './migration-files.js';
import { rows, type Sql } from './statement.js';

/** Any constant: the advisory lock that lets only one process migrate at a time. */
const MIGRATION_LOCK = 7_216_034;
const TAKE_LOCK = { text: 'SELECT pg_try_advisory_lock($1) AS taken' };
const POLL_MS = 200;

class PooledMigration extends Error {}

/**
 * Migrates the schema to this release. Several processes may run it at once: the others wait, then find nothing to do. Statements have
 * no time limit, because an index of a long table takes a while. Returns the names of the migrations that were run.
 * `only`: the migrations of an earlier release, for the restore of its backup. Throws PooledMigration when the address is that of a pooler.
 */
export async function migrate(url: string, only?: readonly string[]): Promise<string[]> {
  if (isPooled(url))
    throw new PooledMigration(
      'Migrations hold a session lock: DATABASE_URL must name the database itself, not a pooler.',
    );
  const options = dataSourceOptions(url, 2, 0);
  const dataSource = await new DataSource(options).initialize();
  try {
    const runner = dataSource.createQueryRunner();
    const lock = (await runner.connect()) as PoolClient;
    await takeLock(lock);
    try {
      const pending = await pendingMigrations(lock);
      return await run(options, only ? pending.filter(({ name }) => only.includes(name)) : pending);
    } finally {
      await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await runner.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

/** Polls, because CREATE INDEX CONCURRENTLY waits for every running statement, including one that waits for the lock. */
async function takeLock(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await rows<{ taken: boolean }>(sql, TAKE_LOCK, [MIGRATION_LOCK]);
    if (row?.taken) return;
    await delay(POLL_MS);
  }
}

/** Loads the classes of the migrations and runs them. */
async function run(options: DataSourceOptions, pending: readonly MigrationFile[]): Promise<string[]> {
  if (pending.length === 0) return [];
  const migrations = await loadMigrations(pending);
  const dataSource = await new DataSource({ ...options, migrations }).initialize();
  try {
    return (await dataSource.runMigrations()).map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
}
