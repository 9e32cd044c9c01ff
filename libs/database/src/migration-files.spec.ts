import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadMigrations, migrationFiles } from './migration-files.js';

describe('the migrations of the service', () => {
  const files = migrationFiles();

  it('export one class each, whose name is that of its file', async () => {
    const classes = await loadMigrations(files);
    expect(classes.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    const exported: string[] = [];
    for (const { path } of files) exported.push(...Object.keys((await import(path)) as object));
    expect(exported).toEqual(files.map(({ name }) => name));
  });

  it('store the names of their classes', async () => {
    const classes = await loadMigrations(files);
    const stored = classes.map((Migration) => new Migration().name ?? Migration.name);
    expect(stored).toEqual(files.map(({ name }) => name));
  });

  it('have different timestamps, in the order of which they run', () => {
    const timestamps = files.map(({ name }) => Number(name.slice(-13)));
    expect(timestamps).toEqual([...new Set(timestamps)].toSorted((a, b) => a - b));
    expect(files[0]?.name).toBe('Initial1760000000000');
  });
});

describe('migrationFiles', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-migrations-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A folder of libraries with these files. */
  const libraries = (name: string, ...paths: string[]): string => {
    mkdirSync(join(folder, name));
    for (const path of paths.map((path) => join(folder, name, path))) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'export class Other {}');
    }
    return join(folder, name);
  };

  it('sorts the migrations of all libraries by their timestamps', () => {
    const found = migrationFiles(
      libraries(
        'sorted',
        'tools/src/migrations/1760000000001-mcp-servers.ts',
        'calls/src/migrations/1760000000002-call-words.ts',
        'calls/src/migrations/1760000000000-calls.ts',
        'calls/src/migrations/1760000000000-calls.js.map',
        'calls/src/calls.service.ts',
        'queue/src/index.ts',
      ),
    );
    expect(found.map(({ name }) => name)).toEqual([
      'Calls1760000000000',
      'McpServers1760000000001',
      'CallWords1760000000002',
    ]);
  });

  it('rejects a file that is not named like a migration', () => {
    const found = (): unknown => migrationFiles(libraries('misnamed', 'calls/src/migrations/call-words.ts'));
    expect(found).toThrow(/call-words\.ts is not named like a migration: 1760004500000-call-words\.ts/);
  });

  it('rejects a folder without migrations: a database would count as migrated', () => {
    expect(() => migrationFiles(libraries('empty', 'calls/src/index.ts'))).toThrow(/have no migrations/);
  });

  it('does not load a migration whose class has another name than its file', async () => {
    const files = migrationFiles(libraries('renamed', 'calls/src/migrations/1760000000000-calls.ts'));
    await expect(loadMigrations(files)).rejects.toThrow(
      /1760000000000-calls\.ts does not export the class Calls1760000000000/,
    );
  });
});
