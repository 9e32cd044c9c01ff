import type { Encryption } from '@app/common';
import { dataSourceOptions, inTransaction, migrate, poolOf, rows } from '@app/database';
import type { Storage } from '@app/storage';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createGunzip } from 'node:zlib';
import type { PoolClient } from 'pg';
import { readManifest, rowsFile, storedFile, type BackupManifest, type TableNote } from './backup-manifest.js';
import { withDatabase } from '../installation.js';
import { Problem } from '../problem.js';

const BATCH = 500;

interface RestoreParts {
  databaseUrl: string;
  encryption: Encryption;
  storage: Storage;
}

/**
 * Brings a backup into an empty database: the schema of then, the rows in one transaction, the files, and then the migrations since.
 * Throws Problem when the database has tables already, the key is another one, or the backup is of a newer release.
 */
export async function restoreBackup(
  { databaseUrl, encryption, storage }: RestoreParts,
  folder: string,
): Promise<BackupManifest> {
  const manifest = readManifest(folder);
  if (!encryption.fingerprints.includes(manifest.key_fingerprint))
    throw new Problem('SECRET_KEY is not the key that the secrets of this backup are sealed with.');
  const unknown = manifest.migrations.filter((name) => !migrationNames(databaseUrl).includes(name));
  if (unknown.length > 0)
    throw new Problem(`The backup is of a newer release (${manifest.version}): this one has no ${unknown.join(', ')}.`);
  await withDatabase(databaseUrl, async (dataSource) => {
    const text = `SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`;
    if ((await rows(poolOf(dataSource), { text })).length > 0)
      throw new Problem('The database is not empty. Make a new one (CREATE DATABASE) and restore into that.');
  });
  await migrate(databaseUrl, manifest.migrations);
  await withDatabase(databaseUrl, (dataSource) =>
    inTransaction(poolOf(dataSource), async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      await withoutTriggers(tx, () =>
        deferring(tx, async () => {
          // What a migration put in itself is in the backup, too.
          for (const { name } of manifest.tables) await tx.query(`DELETE FROM "${name}"`);
          for (const table of manifest.tables) await readTable(tx, table, folder);
        }),
      );
      // pgvector's copy of the vectors is made again.
      await tx.query('UPDATE knowledge_bases SET vectors_generation = NULL WHERE vectors_generation IS NOT NULL');
    }),
  );
  await putFiles(storage, manifest.files, folder);
  await migrate(databaseUrl);
  return manifest;
}

function migrationNames(url: string): string[] {
  const { migrations } = dataSourceOptions(url);
  return (migrations as (new () => object)[]).map(({ name }) => name);
}

/** Agents refer to numbers and numbers to agents: references are looked at when all rows are there. */
async function deferring(tx: PoolClient, work: () => Promise<void>): Promise<void> {
  const text = `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT condeferrable`;
  const references = await rows<{ table: string; name: string }>(tx, { text });
  const alter = async (how: string): Promise<void> => {
    for (const { table, name } of references) await tx.query(`ALTER TABLE ${table} ALTER CONSTRAINT "${name}" ${how}`);
  };
  await alter('DEFERRABLE INITIALLY DEFERRED');
  await work();
  await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
  await alter('NOT DEFERRABLE');
}

/** Rows that triggers derive from others (the storage that accounts use) are in the backup as well: they would count twice. */
async function withoutTriggers(tx: PoolClient, work: () => Promise<void>): Promise<void> {
  const text = `SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT tgisinternal`;
  const tables = await rows<{ table: string }>(tx, { text });
  const alter = async (how: 'DISABLE' | 'ENABLE'): Promise<void> => {
    for (const { table } of tables) await tx.query(`ALTER TABLE ${table} ${how} TRIGGER USER`);
  };
  await alter('DISABLE');
  await work();
  await alter('ENABLE');
}

async function readTable(tx: PoolClient, table: TableNote, folder: string): Promise<void> {
  const lines = createInterface({ input: createReadStream(rowsFile(folder, table.name)).pipe(createGunzip()) });
  let count = 0;
  let batch: string[] = [];
  const put = async (): Promise<void> => {
    count += await insert(tx, table, batch);
    batch = [];
  };
  for await (const line of lines) {
    batch.push(line);
    if (batch.length === BATCH) await put();
  }
  if (batch.length > 0) await put();
  if (count !== table.rows)
    throw new Problem(`${table.name} has ${count} rows in the backup instead of ${table.rows}.`);
  if (table.identity !== null) await continueNumbers(tx, table.name, table.identity);
}

async function insert(tx: PoolClient, { name, columns }: TableNote, lines: readonly string[]): Promise<number> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  const text = `INSERT INTO "${name}" (${list}) OVERRIDING SYSTEM VALUE
    SELECT ${list} FROM json_populate_recordset(NULL::"${name}", $1::json)`;
  return (await tx.query(text, [`[${lines.join(',')}]`])).rowCount ?? 0;
}

async function continueNumbers(tx: PoolClient, table: string, column: string): Promise<void> {
  await tx.query(
    `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), coalesce(max("${column}"), 1), max("${column}") IS NOT NULL)
       FROM "${table}"`,
  );
}

async function putFiles(storage: Storage, keys: readonly string[], folder: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'trunkline-restore-'));
  try {
    for (const key of keys) {
      // The storage takes the file that it is given.
      const copy = join(scratch, 'file');
      await copyFile(storedFile(folder, key), copy);
      await storage.put(key, copy);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
