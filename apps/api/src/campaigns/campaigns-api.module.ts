import { CampaignsModule } from '@app/campaigns';
import { Module } from '@nestjs/common';
import { UploadsModule } from '../http/uploads/uploads.js';
import { CampaignProgressController } from './campaign-progress.controller.js';
import { CampaignStreams } from './campaign-streams.js';
import { CampaignsController } from './campaigns.controller.js';
import { ContactImportsController, ImportInterceptor } from './contact-imports.controller.js';
import { ContactsController } from './contacts.controller.js';

@Module({
  imports: [CampaignsModule, UploadsModule],
  controllers: [CampaignsController, CampaignProgressController, ContactImportsController, ContactsController],
  providers: [CampaignStreams, ImportInterceptor],
})
export class CampaignsApiModule {}
