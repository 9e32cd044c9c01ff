import { loadEnv } from '@app/common';
import { poolOf } from '@app/db';
import { openStorage } from '@app/storage';
import type { Command } from 'commander';
import { writeBackup } from './backup.js';
import { checkKey, withDatabase } from './installation.js';
import { databaseUrl, sealOf } from './instance.js';
import { operator } from './operator.js';
import { rekey } from './rekey.js';
import { restoreBackup } from './restore.js';

/** `backup`, `restore` and `rekey` (docs/operate). */
export function addUpkeepCommands(program: Command): void {
  program
    .command('backup <folder>')
    .description('write all rows, as of one moment, and the files that they name into a new folder')
    .option('--without-files', 'leave recordings and documents out: the storage has backups of its own')
    .action((folder: string, options: { withoutFiles?: boolean }) => backupCommand(folder, options));
  program
    .command('restore <folder>')
    .description('bring a backup into an empty database, and its files into the storage')
    .action((folder: string) => restoreCommand(folder));
  program
    .command('rekey')
    .description('seal all secrets anew with SECRET_KEY; SECRET_KEY_FALLBACKS has the key that they are sealed with')
    .action(() => rekeyCommand());
}

async function backupCommand(folder: string, options: { withoutFiles?: boolean }): Promise<void> {
  const env = loadEnv();
  await withDatabase(databaseUrl(env), async (dataSource) => {
    const pool = poolOf(dataSource);
    const seal = sealOf(env);
    await checkKey(pool, seal);
    const parts = { pool, seal, storage: openStorage(env), withFiles: options.withoutFiles !== true };
    const { tables, files, missing_files: missing } = await writeBackup(parts, folder);
    console.log(
      `${tables.reduce((sum, table) => sum + table.rows, 0)} rows and ${files.length} files are in ${folder}.`,
    );
    if (missing.length > 0) console.error(`${missing.length} files were not in the storage; manifest.json names them.`);
  });
}

async function restoreCommand(folder: string): Promise<void> {
  const env = loadEnv();
  const parts = { databaseUrl: databaseUrl(env), seal: sealOf(env), storage: openStorage(env) };
  const { tables, files, taken_at: takenAt } = await restoreBackup(parts, folder);
  const count = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${count} rows and ${files.length} files of ${takenAt} are back.`);
}

async function rekeyCommand(): Promise<void> {
  const env = loadEnv();
  await withDatabase(databaseUrl(env), async (dataSource) => {
    const pool = poolOf(dataSource);
    const seal = sealOf(env);
    await checkKey(pool, seal);
    console.log(`${await rekey(pool, seal, operator())} values are sealed with SECRET_KEY.`);
  });
}
