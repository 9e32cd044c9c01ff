import { AuditModule } from '@app/audit';
import { RecordingFilesRepository } from '@app/calls';
import type { Env } from '@app/common';
import { InstallationRepository } from '@app/database';
import { KnowledgeFilesRepository } from '@app/knowledge';
import { operator, withSecrets, withServices } from '../command-context.js';
import { asOwner } from '../installation.js';
import { secretKey } from '../installation-home.js';
import { BackupService } from './backup.service.js';
import { RekeyService } from './rekey.service.js';
import { RestoreService } from './restore.service.js';
import { StorageModule } from '@app/storage';
import { Module } from '@nestjs/common';
import { EncryptedValuesRepository } from './encrypted-values.repository.js';
import { BackupRepository } from './backup.repository.js';

export async function backupCommand(env: Env, folder: string, options: { withoutFiles?: boolean }): Promise<void> {
  const {
    tables,
    files,
    missing_files: missing,
  } = await withSecrets(env, [BackupModule], (services) =>
    services.get(BackupService).write(folder, { withFiles: options.withoutFiles !== true }),
  );
  console.log(`${tables.reduce((sum, table) => sum + table.rows, 0)} rows and ${files.length} files are in ${folder}.`);
  if (missing.length > 0)
    console.error(`${missing.length} files were missing from the storage; manifest.json lists them.`);
}

/** Restores into an empty database, which has no key fingerprint to compare SECRET_KEY with. */
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
  console.log(`${count} rows and ${files.length} files of ${takenAt} are restored.`);
}

export async function rekeyCommand(env: Env): Promise<void> {
  const count = await withSecrets(env, [BackupModule], (services) => services.get(RekeyService).rekey(operator()));
  console.log(`${count} values were re-encrypted with SECRET_KEY.`);
}

/** `trunkline backup`, `restore` and `rekey`. */
@Module({
  imports: [AuditModule, StorageModule],
  providers: [
    BackupRepository,
    BackupService,
    EncryptedValuesRepository,
    InstallationRepository,
    KnowledgeFilesRepository,
    RecordingFilesRepository,
    RekeyService,
    RestoreService,
  ],
})
export class BackupModule {}
