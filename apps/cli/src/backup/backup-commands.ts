import type { Env } from '@app/common';
import { poolOf } from '@app/database';
import { openStorage } from '@app/storage';
import { writeBackup } from './backup.service.js';
import { asOwner } from '../database-roles.js';
import { checkKey, withDatabase } from '../installation.js';
import { databaseUrl, commandEncryption } from '../instance.js';
import { operator } from '../operator.js';
import { rekey } from './rekey.service.js';
import { restoreBackup } from './restore.service.js';

export async function backupCommand(env: Env, folder: string, options: { withoutFiles?: boolean }): Promise<void> {
  await withDatabase(databaseUrl(env), async (dataSource) => {
    const pool = poolOf(dataSource);
    const encryption = commandEncryption(env);
    await checkKey(pool, encryption);
    const parts = { pool, encryption, storage: openStorage(env), withFiles: options.withoutFiles !== true };
    const { tables, files, missing_files: missing } = await writeBackup(parts, folder);
    console.log(
      `${tables.reduce((sum, table) => sum + table.rows, 0)} rows and ${files.length} files are in ${folder}.`,
    );
    if (missing.length > 0) console.error(`${missing.length} files were not in the storage; manifest.json names them.`);
  });
}

export async function restoreCommand(env: Env, folder: string): Promise<void> {
  const parts = { databaseUrl: databaseUrl(env), encryption: commandEncryption(env), storage: openStorage(env) };
  const { tables, files, taken_at: takenAt } = await asOwner('restore', () => restoreBackup(parts, folder));
  const count = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${count} rows and ${files.length} files of ${takenAt} are back.`);
}

export async function rekeyCommand(env: Env): Promise<void> {
  await withDatabase(databaseUrl(env), async (dataSource) => {
    const pool = poolOf(dataSource);
    const encryption = commandEncryption(env);
    await checkKey(pool, encryption);
    console.log(`${await rekey(pool, encryption, operator())} values are sealed with SECRET_KEY.`);
  });
}
