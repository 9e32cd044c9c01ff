import { AuditModule } from '@app/audit';
import { StorageModule } from '@app/storage';
import { Module } from '@nestjs/common';
import { InstallationRepository } from '../installation.repository.js';
import { BackupRepository } from './backup.repository.js';
import { BackupService } from './backup.service.js';
import { RekeyRepository } from './rekey.repository.js';
import { RekeyService } from './rekey.service.js';
import { RestoreService } from './restore.service.js';

/** `trunkline backup`, `restore` and `rekey`. */
@Module({
  imports: [AuditModule, StorageModule],
  providers: [BackupRepository, BackupService, InstallationRepository, RekeyRepository, RekeyService, RestoreService],
})
export class BackupModule {}
