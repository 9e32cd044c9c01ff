import type { Encryption } from '@app/common';
import { VERSION } from '@app/common';
import { inTransaction, rows, type Sql } from '@app/database';
import type { Storage } from '@app/storage';
import { createWriteStream, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Pool, PoolClient } from 'pg';
import { manifestFile, rowsFile, storedFile, type BackupManifest, type TableNote } from './backup-manifest.js';
import { Problem } from '../problem.js';

/** Rows of one FETCH; passages and transcripts are the longest, tens of KB each. */
const BATCH = 500;
/** Vectors in pgvector are a copy of those in the chunks, made again by a worker. */
const DERIVED = ['migrations', 'knowledge_vectors'];

interface BackupParts {
  pool: Pool;
  encryption: Encryption;
  storage: Storage;
  /** Without: the storage has backups of its own (versions of a bucket). */
  withFiles: boolean;
}

/**
 * Writes all rows, as they were at one moment, and the files that they name into a new folder. Calls and deliveries go on meanwhile.
 * Throws Problem when something is in the folder already.
 */
export async function writeBackup(parts: BackupParts, folder: string): Promise<BackupManifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Problem(`${folder} is not empty.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { snapshot, keys } = await inTransaction(parts.pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    // A long table takes longer than any statement of the service may.
    await tx.query('SET LOCAL statement_timeout = 0');
    return { snapshot: await writeRows(tx, folder), keys: parts.withFiles ? await fileKeys(tx) : [] };
  });
  const missing = await writeFiles(parts.storage, keys, folder);
  const manifest: BackupManifest = {
    format: 1,
    version: VERSION,
    ...snapshot,
    files: keys.filter((key) => !missing.includes(key)),
    missing_files: missing,
  };
  writeFileSync(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

type Snapshot = Pick<BackupManifest, 'taken_at' | 'key_fingerprint' | 'migrations' | 'tables'>;

async function writeRows(tx: PoolClient, folder: string): Promise<Snapshot> {
  const taken_at = new Date().toISOString();
  const [installation] = await rows<{ key: string }>(tx, { text: 'SELECT key_fingerprint AS key FROM installation' });
  if (!installation) throw new Problem('Nothing was ever started on this database: there is nothing to back up.');
  const done = await rows<{ name: string }>(tx, { text: 'SELECT name FROM migrations ORDER BY id' });
  const tables: TableNote[] = [];
  for (const table of await tablesOf(tx)) tables.push({ ...table, rows: await writeTable(tx, table.name, folder) });
  return { taken_at, key_fingerprint: installation.key, migrations: done.map(({ name }) => name), tables };
}

const TABLES = `SELECT c.relname AS name,
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '' LIMIT 1) AS identity
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`;

async function tablesOf(tx: Sql): Promise<Omit<TableNote, 'rows'>[]> {
  const found = await rows<Omit<TableNote, 'rows'> & Record<string, unknown>>(tx, { text: TABLES });
  return found.filter(({ name }) => !DERIVED.includes(name));
}

async function writeTable(tx: PoolClient, table: string, folder: string): Promise<number> {
  const file = rowsFile(folder, table);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    await tx.query(`DECLARE backup NO SCROLL CURSOR FOR SELECT to_jsonb(t)::text AS line FROM "${table}" t`);
    for (;;) {
      const found = await rows<{ line: string }>(tx, { text: `FETCH ${BATCH} FROM backup` });
      count += found.length;
      if (found.length > 0) yield `${found.map(({ line }) => line).join('\n')}\n`;
      if (found.length < BATCH) break;
    }
    await tx.query('CLOSE backup');
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(file, { mode: 0o600 }));
  return count;
}

async function fileKeys(tx: Sql): Promise<string[]> {
  const text = `SELECT recording_key AS key FROM calls WHERE recording_key IS NOT NULL
    UNION SELECT file_key FROM knowledge_bases WHERE file_key IS NOT NULL ORDER BY key`;
  return (await rows<{ key: string }>(tx, { text })).map(({ key }) => key);
}

/** @returns keys without a file: deleted since the snapshot, or lost. */
async function writeFiles(storage: Storage, keys: readonly string[], folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (const key of keys) {
    const stored = await storage.open(key);
    if (!stored) {
      missing.push(key);
      continue;
    }
    const file = storedFile(folder, key);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(stored.stream, createWriteStream(file, { mode: 0o600 }));
  }
  return missing;
}
