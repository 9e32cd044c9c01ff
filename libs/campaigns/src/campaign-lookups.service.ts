import { Injectable } from '@nestjs/common';
import { CampaignLookupsRepository } from './campaign-lookups.repository.js';

/** What other features read of the campaigns that they name. */
@Injectable()
export class CampaignLookupsService {
  constructor(private readonly campaigns: CampaignLookupsRepository) {}

  /** By id; deleted campaigns are left out. */
  async names(accountId: number, ids: readonly number[]): Promise<Map<number, string>> {
    return new Map((await this.campaigns.campaigns(accountId, ids)).map(({ id, name }) => [id, name]));
  }
}
