import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Pool } from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';

let database: TestDatabase;
let pool: Pool;
let source: DataSource;

/** Entities of tables that only statements use: no other code asks for them. */
const SCHEMA = 'test/support/schema';

/** Migrations own the indexes and constraints that TypeORM cannot express, such as partial and GIN indexes: no entity declares them. */
const REMOVES_UNDECLARED = /^(?:DROP INDEX|ALTER TABLE "\w+" DROP CONSTRAINT) /;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 1 });
  const files = ['libs', SCHEMA].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => resolve(folder, name)),
  );
  const loaded: unknown[] = [];
  for (const file of files.filter((name) => /\.(?:entity|schema)\.ts$/.test(name)))
    loaded.push(...Object.values((await import(file)) as object));
  // The storage is global: it also has the classes of tests that ran before in this worker.
  const targets = getMetadataArgsStorage().tables.map(({ target }) => target);
  const entities = targets.filter((target) => loaded.includes(target));
  source = await new DataSource({ type: 'postgres', url: database.url, entities }).initialize();
});
afterAll(async () => {
  await source.destroy();
  await pool.end();
  await database.drop();
});

describe('the entities', () => {
  it('describe every table of the migrated database', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'`,
    );
    const tables = rows.map(({ name }) => name);
    const described = source.entityMetadatas.map(({ tableName }) => tableName);
    expect(tables.length).toBeGreaterThan(30);
    expect(tables.filter((name) => !described.includes(name))).toEqual([]);
    expect(described.filter((name) => !tables.includes(name))).toEqual([]);
  });

  it('have the columns, types, defaults and constraints of the migrations', async () => {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    const wrong = upQueries.map(({ query }) => query).filter((query) => !REMOVES_UNDECLARED.test(query));
    expect(wrong).toEqual([]);
  });
});
