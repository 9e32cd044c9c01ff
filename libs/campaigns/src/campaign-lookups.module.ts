import { Module } from '@nestjs/common';
import { CampaignLookupsRepository } from './campaign-lookups.repository.js';
import { CampaignLookupsService } from './campaign-lookups.service.js';

/** Reads campaigns for features that name them, without what administers and runs them. */
@Module({ providers: [CampaignLookupsRepository, CampaignLookupsService], exports: [CampaignLookupsService] })
export class CampaignLookupsModule {}
