import type { Env } from '@app/common';
import { withSecrets, withServices } from '../command-context.js';
import { asOwner } from '../database-roles.js';
import { secretKey } from '../instance.js';
import { operator } from '../operator.js';
import { BackupModule } from './backup.module.js';
import { BackupService } from './backup.service.js';
import { RekeyService } from './rekey.service.js';
import { RestoreService } from './restore.service.js';

export async function backupCommand(env: Env, folder: string, options: { withoutFiles?: boolean }): Promise<void> {
  const {
    tables,
    files,
    missing_files: missing,
  } = await withSecrets(env, [BackupModule], (services) =>
    services.get(BackupService).write(folder, { withFiles: options.withoutFiles !== true }),
  );
  console.log(`${tables.reduce((sum, table) => sum + table.rows, 0)} rows and ${files.length} files are in ${folder}.`);
  if (missing.length > 0) console.error(`${missing.length} files were not in the storage; manifest.json names them.`);
}

/** Into an empty database, which has no key yet that SECRET_KEY could be compared with. */
export async function restoreCommand(env: Env, folder: string): Promise<void> {
  const settings = { ...env, SECRET_KEY: secretKey(env) };
  const {
    tables,
    files,
    taken_at: takenAt,
  } = await asOwner('restore', () =>
    withServices(settings, [BackupModule], (services) => services.get(RestoreService).restore(folder)),
  );
  const count = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${count} rows and ${files.length} files of ${takenAt} are back.`);
}

export async function rekeyCommand(env: Env): Promise<void> {
  const count = await withSecrets(env, [BackupModule], (services) => services.get(RekeyService).rekey(operator()));
  console.log(`${count} values are sealed with SECRET_KEY.`);
}
