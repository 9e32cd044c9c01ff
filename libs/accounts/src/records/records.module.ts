import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { AccountRecordsService } from './account-records.service.js';
import { CallsInProgressRepository } from './calls-in-progress.repository.js';
import { RecordsRepository } from './records.repository.js';

/** Writes named records of accounts with their audit events. */
@Module({
  imports: [AuditModule],
  providers: [AccountRecordsService, CallsInProgressRepository, RecordsRepository],
  exports: [AccountRecordsService, CallsInProgressRepository, RecordsRepository],
})
export class RecordsModule {}
