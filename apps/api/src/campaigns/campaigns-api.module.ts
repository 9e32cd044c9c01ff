import { CampaignsModule } from '@app/campaigns';
import { Module } from '@nestjs/common';
import { AgentsApiModule } from '../agents/agents-api.module.js';
import { TableFormInterceptor } from '../http/uploads/table-form.js';
import { UploadsModule } from '../http/uploads/uploads.service.js';
import { CampaignProgressController } from './campaign-progress.controller.js';
import { CampaignStreamsService } from './campaign-streams.service.js';
import { CampaignsController } from './campaigns.controller.js';
import { ContactImportsController } from './contact-imports.controller.js';
import { ContactsController } from './contacts.controller.js';

@Module({
  imports: [AgentsApiModule, CampaignsModule, UploadsModule],
  controllers: [CampaignsController, CampaignProgressController, ContactImportsController, ContactsController],
  providers: [CampaignStreamsService, TableFormInterceptor],
})
export class CampaignsApiModule {}
