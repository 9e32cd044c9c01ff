import { isPooled } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from './data-source-options.js';

/** Any constant: the advisory lock that lets only one process migrate at a time. */
const MIGRATION_LOCK = 7_216_034;
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
  const all = options.migrations as (new () => object)[];
  const migrations = only ? all.filter(({ name }) => only.includes(name)) : all;
  const dataSource = new DataSource({ ...options, migrations });
  await dataSource.initialize();
  try {
    const lock = dataSource.createQueryRunner();
    await takeLock(lock);
    try {
      return (await dataSource.runMigrations()).map((migration) => migration.name);
    } finally {
      await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await lock.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

/** Polls, because CREATE INDEX CONCURRENTLY waits for every running statement, including one that waits for the lock. */
async function takeLock(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK])) as {
      taken: boolean;
    }[];
    if (row?.taken) return;
    await delay(POLL_MS);
  }
}
