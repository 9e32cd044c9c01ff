import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountLookupsModule } from './account-lookups.module.js';
import { AccountEntity } from './account.entity.js';
import { AccountsRepository, OperatorNoticesRepository } from './accounts.repository.js';
import { AccountsService, OperatorNoticesService } from './accounts.service.js';
import { NumbersModule } from './numbers/numbers.module.js';
import { OperatorNoticeEntity } from './operator-notice.entity.js';
import { RecordsModule } from './records/records.module.js';
import { SignInSettingsEntity } from './sign-in/sign-in-settings.entity.js';
import { SignInSettingsRepository } from './sign-in/sign-in-settings.repository.js';
import { SignInSettingsService } from './sign-in/sign-in-settings.service.js';
import { StorageQuotaRepository } from './storage-quota.repository.js';
import { StorageQuotaService } from './storage-quota.service.js';
import { TrunksModule } from './trunks/trunks.module.js';

const ENTITIES = [AccountEntity, OperatorNoticeEntity, SignInSettingsEntity];

/** Accounts with their limits and sign-in settings, phone numbers and SIP trunks. Works without SECRET_KEY until a secret is needed. */
@Module({
  imports: [
    AccountLookupsModule,
    AuditModule,
    NumbersModule,
    RecordsModule,
    TrunksModule,
    TypeOrmModule.forFeature(ENTITIES),
  ],
  providers: [
    AccountsRepository,
    AccountsService,
    OperatorNoticesRepository,
    OperatorNoticesService,
    SignInSettingsRepository,
    SignInSettingsService,
    StorageQuotaRepository,
    StorageQuotaService,
  ],
  exports: [
    AccountLookupsModule,
    AccountsService,
    NumbersModule,
    OperatorNoticesService,
    RecordsModule,
    SignInSettingsService,
    StorageQuotaService,
    TrunksModule,
  ],
})
export class AccountsModule {}
