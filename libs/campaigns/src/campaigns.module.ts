import { AccountsModule } from '@app/accounts';
import { AgentLookupsModule, AgentsModule } from '@app/agents';
import { AuditModule } from '@app/audit';
import { CallsModule } from '@app/calls';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CallDeletionService } from './call-deletion.service.js';
import { CampaignAnnouncementsService } from './campaign-announcements.service.js';
import { CampaignContactsRepository } from './campaign-contacts.repository.js';
import { CampaignContactsService } from './campaign-contacts.service.js';
import { CampaignEntity } from './campaign.entity.js';
import { CampaignProgressService } from './campaign-progress.service.js';
import { ContactAdditionsService } from './contact-additions.service.js';
import { CampaignImportEntity } from './imports/campaign-import.entity.js';
import { CampaignImportRunnerService } from './imports/campaign-import-runner.service.js';
import { CampaignImportsRepository } from './imports/campaign-imports.repository.js';
import { CampaignImportsService } from './imports/campaign-imports.service.js';
import { ImportPreviewService } from './imports/import-preview.service.js';
import { CampaignReleaseService } from './campaign-release.service.js';
import { CampaignRunnerService } from './campaign-runner.service.js';
import { CampaignPacingRepository } from './campaign-pacing.repository.js';
import { CampaignRunsRepository } from './campaign-runs.repository.js';
import { CampaignSettlementService } from './campaign-settlement.service.js';
import { CampaignSettingsService } from './campaign-settings.service.js';
import { CampaignStatesRepository } from './campaign-states.repository.js';
import { CampaignTurnsService } from './campaign-turns.service.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CampaignsService } from './campaigns.service.js';

/** Calls to lists of contacts, on top of CallsModule. */
@Module({
  imports: [
    AccountsModule,
    AgentLookupsModule,
    AgentsModule,
    AuditModule,
    CallsModule,
    WebhooksModule,
    TypeOrmModule.forFeature([CampaignEntity, CampaignImportEntity]),
  ],
  providers: [
    CallDeletionService,
    CampaignAnnouncementsService,
    CampaignContactsRepository,
    CampaignContactsService,
    CampaignImportRunnerService,
    CampaignImportsRepository,
    CampaignImportsService,
    CampaignPacingRepository,
    CampaignProgressService,
    CampaignReleaseService,
    CampaignRunnerService,
    CampaignRunsRepository,
    CampaignSettlementService,
    CampaignSettingsService,
    CampaignStatesRepository,
    CampaignTurnsService,
    CampaignsRepository,
    CampaignsService,
    ContactAdditionsService,
    ImportPreviewService,
  ],
  exports: [
    CallDeletionService,
    CampaignContactsService,
    CampaignImportRunnerService,
    CampaignImportsService,
    CampaignProgressService,
    CampaignRunnerService,
    CampaignStatesRepository,
    CampaignsService,
    ContactAdditionsService,
    ImportPreviewService,
  ],
})
export class CampaignsModule {}
