import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MigrationInterface } from 'typeorm';
import { rows, type Sql } from './statement.js';

export interface MigrationFile {
  /** The name of its class, which the table `migrations` and backups store, such as `CallWords1760004500000`. */
  name: string;
  path: string;
}

type MigrationClass = new () => MigrationInterface;

/** `libs` of the sources, or `dist/libs` of a build. */
const LIBRARIES = fileURLToPath(new URL('../..', import.meta.url));
/** `.js` in a build, `.ts` where a test runs the sources. */
const EXTENSION = extname(fileURLToPath(import.meta.url));

const FILE_NAME = /^(\d{13})((?:-[a-z0-9]+)+)$/;

const MIGRATIONS_TABLE = { text: `SELECT to_regclass('migrations') IS NOT NULL AS found` };
const EXECUTED_MIGRATIONS = { text: 'SELECT name FROM migrations' };

/**
 * The migrations of this release, `LIBRARY/src/migrations/TIMESTAMP-subject`, in the order of their timestamps. Reads the names of the files
 * without loading them. Throws when a file is named differently, or when there are no migrations.
 */
export function migrationFiles(libraries = LIBRARIES): MigrationFile[] {
  const paths = readdirSync(libraries)
    .map((library) => join(libraries, library, 'src/migrations'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((path) => path.endsWith(EXTENSION));
  if (paths.length === 0) throw new Error(`The libraries in ${libraries} have no migrations.`);
  const sorted = paths.toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
  return sorted.map((path) => ({ name: classNameOf(path), path }));
}

/** `1760004500000-call-words.ts` has the class `CallWords1760004500000`. */
function classNameOf(path: string): string {
  const [, timestamp, subject] = FILE_NAME.exec(basename(path, EXTENSION)) ?? [];
  if (timestamp === undefined || subject === undefined)
    throw new Error(`${path} is not named like a migration: 1760004500000-call-words${EXTENSION}.`);
  return subject.replaceAll(/-(.)/g, (_, first: string) => first.toUpperCase()) + timestamp;
}

/** Imports the classes. Throws when a file does not export the class that it is named for. */
export async function loadMigrations(files: readonly MigrationFile[]): Promise<MigrationClass[]> {
  const classes: MigrationClass[] = [];
  for (const { name, path } of files) {
    const module = (await import(pathToFileURL(path).href)) as Record<string, MigrationClass | undefined>;
    const Migration = module[name];
    if (Migration === undefined) throw new Error(`${path} does not export the class ${name}.`);
    classes.push(Migration);
  }
  return classes;
}

/** The migrations of this release that the database has not run, in their order. */
export async function pendingMigrations(sql: Sql): Promise<MigrationFile[]> {
  const [table] = await rows<{ found: boolean }>(sql, MIGRATIONS_TABLE);
  const executed = table?.found ? await rows<{ name: string }>(sql, EXECUTED_MIGRATIONS) : [];
  const names = new Set(executed.map(({ name }) => name));
  return migrationFiles().filter(({ name }) => !names.has(name));
}
