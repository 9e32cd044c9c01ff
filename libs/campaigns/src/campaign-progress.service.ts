import { NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { CampaignsRepository } from './campaigns.repository.js';
import { type CampaignProgressView, progressView } from './presenters/campaign.presenter.js';

/** The progress of campaigns, from counters that the transactions of contacts keep: it costs the same for a million contacts. */
@Injectable()
export class CampaignProgressService {
  constructor(private readonly campaigns: CampaignsRepository) {}

  /** @throws NotFound when the account has no such campaign */
  async find(accountId: number, campaignId: number): Promise<CampaignProgressView> {
    const campaign = await this.campaigns.find(accountId, campaignId);
    if (!campaign) throw new NotFound('Campaign');
    const state = await this.campaigns.state(campaignId);
    if (!state) throw new NotFound('Campaign');
    const { counts, liveCalls, queuedCalls, nextAt, ...current } = state;
    const isRunning = current.status === 'running';
    const live = { liveCalls, queuedCalls, nextAt: isRunning ? nextAt : null };
    return progressView(Object.assign(campaign, current), counts, live);
  }
}
