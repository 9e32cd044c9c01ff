import { AuditModule } from '@app/audit';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageQuotaRepository, DailySpendRepository } from './account-limits.repository.js';
import { DailySpendService, StorageQuotaService } from './account-limits.service.js';
import { AccountEntity, AccountStorageEntity, DailySpendEntity } from './account.entity.js';
import { AccountsRepository, OperatorNoticesRepository } from './accounts.repository.js';
import { AccountsService, OperatorNoticesService } from './accounts.service.js';
import { AgentEntity } from './agents/agent.entity.js';
import { AgentScenarioEntity, AgentVersionEntity } from './agents/agent-version.entity.js';
import { AgentChangesService } from './agents/agent-changes.service.js';
import { AgentFields } from './agents/agent-fields.service.js';
import { AgentRecordsService } from './agents/agent-records.service.js';
import { AgentVersionsRepository } from './agents/agent-versions.repository.js';
import { AgentVersionsService } from './agents/agent-versions.service.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { AgentsService } from './agents/agents.service.js';
import { IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { NumbersRepository } from './numbers/numbers.repository.js';
import { NumbersService } from './numbers/numbers.service.js';
import { PhoneNumberEntity } from './numbers/phone-number.entity.js';
import { OperatorNoticeEntity } from './operator-notice.entity.js';
import { AccountRecordsService } from './records/account-records.service.js';
import { RecordsRepository } from './records/records.repository.js';
import {
  SipTrunkEntity,
  TrunkHealthEntity,
  TrunkPlaceEntity,
  TrunkRegistrationEntity,
} from './trunks/sip-trunk.entity.js';
import { SignInSettingsEntity } from './sign-in/sign-in-settings.entity.js';
import { SignInSettingsRepository } from './sign-in/sign-in-settings.repository.js';
import { SignInSettingsService } from './sign-in/sign-in-settings.service.js';
import { SipRoutesService } from './trunks/sip-routes.service.js';
import { TrunkHealthService } from './trunks/trunk-health.service.js';
import { TrunkPlacesRepository } from './trunks/trunk-places.repository.js';
import { TrunkRegistrationsRepository } from './trunks/trunk-registrations.repository.js';
import { TrunksRepository } from './trunks/trunks.repository.js';
import { TrunksService } from './trunks/trunks.service.js';
import { WorkspaceAgentsService } from './workspace/workspace-agents.service.js';
import { WorkspaceAccountService } from './workspace/workspace-account.service.js';
import { WorkspaceExportService } from './workspace/workspace-export.service.js';
import { WorkspaceRepository } from './workspace/workspace.repository.js';
import { WorkspaceService } from './workspace/workspace.service.js';

const ENTITIES = [
  AccountEntity,
  AccountStorageEntity,
  AgentEntity,
  AgentScenarioEntity,
  AgentVersionEntity,
  DailySpendEntity,
  IdempotencyKeyEntity,
  OperatorNoticeEntity,
  PhoneNumberEntity,
  SignInSettingsEntity,
  SipTrunkEntity,
  TrunkHealthEntity,
  TrunkPlaceEntity,
  TrunkRegistrationEntity,
];

/** Accounts with their agents, phone numbers, SIP trunks and limits. Needs no SECRET_KEY. */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature(ENTITIES)],
  providers: [
    AccountRecordsService,
    AccountsRepository,
    AccountsService,
    AgentsRepository,
    AgentsService,
    DailySpendRepository,
    DailySpendService,
    NumbersRepository,
    NumbersService,
    OperatorNoticesRepository,
    OperatorNoticesService,
    RecordsRepository,
    SignInSettingsRepository,
    SignInSettingsService,
    SipRoutesService,
    StorageQuotaRepository,
    StorageQuotaService,
    TrunkHealthService,
    TrunkPlacesRepository,
    TrunkRegistrationsRepository,
    TrunksRepository,
    TrunksService,
  ],
  exports: [
    AccountRecordsService,
    AccountsService,
    AgentsService,
    DailySpendService,
    NumbersService,
    OperatorNoticesService,
    SignInSettingsService,
    SipRoutesService,
    StorageQuotaService,
    TrunkHealthService,
    TrunkRegistrationsRepository,
    TrunksService,
  ],
})
export class AccountsModule {}

/** Changes of agents. Separate, because it encrypts the headers of webhooks. */
@Module({
  imports: [AccountsModule, AuditModule, TypeOrmModule.forFeature(ENTITIES)],
  providers: [AgentChangesService, AgentFields, AgentRecordsService, AgentVersionsRepository, AgentVersionsService],
  exports: [AccountsModule, AgentChangesService, AgentRecordsService, AgentVersionsRepository, AgentVersionsService],
})
export class AgentRecordsModule {}

/** Workspace files. Separate, because it encrypts secrets (commands without SECRET_KEY import AccountsModule alone). Needs `WakeUps`. */
@Module({
  imports: [AccountsModule, AgentRecordsModule, AuditModule, WebhooksModule],
  providers: [
    WorkspaceAccountService,
    WorkspaceAgentsService,
    WorkspaceExportService,
    WorkspaceRepository,
    WorkspaceService,
  ],
  exports: [AccountsModule, WebhooksModule, WorkspaceExportService, WorkspaceService],
})
export class WorkspaceModule {}
