import { AccountsModule } from '@app/accounts';
import { AuditModule } from '@app/audit';
import { CallsModule } from '@app/calls';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CampaignContactEntity, CampaignEntity, CampaignProgressEntity } from './campaign.entity.js';

const ENTITIES = [CampaignEntity, CampaignContactEntity, CampaignProgressEntity];

/** Calls to lists of contacts, on top of CallsModule. */
@Module({
  imports: [AccountsModule, AuditModule, CallsModule, WebhooksModule, TypeOrmModule.forFeature(ENTITIES)],
})
export class CampaignsModule {}
