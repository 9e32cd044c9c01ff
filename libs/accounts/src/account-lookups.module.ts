import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountEntity } from './account.entity.js';
import { AccountLimitsRepository } from './account-limits.repository.js';
import { AccountLimitsService } from './account-limits.service.js';
import { RecordLookupsRepository } from './records/record-lookups.repository.js';
import { RecordLookupsService } from './records/record-lookups.service.js';

/** Reads accounts, numbers and trunks for features that name them, without what administers them. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity])],
  providers: [AccountLimitsRepository, AccountLimitsService, RecordLookupsRepository, RecordLookupsService],
  exports: [AccountLimitsService, RecordLookupsService],
})
export class AccountLookupsModule {}
