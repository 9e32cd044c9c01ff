import { CampaignCallsService } from '@app/calls';
import { NotFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignsRepository } from './campaigns.repository.js';
import { type CampaignProgressView, progressView } from './presenters/campaign.presenter.js';

/** The progress of campaigns, from counters that the transactions of contacts keep: it costs the same for a million contacts. */
@Injectable()
export class CampaignProgressService {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly calls: CampaignCallsService,
  ) {}

  /** @throws NotFound when the account has no such campaign */
  async find(accountId: number, campaignId: number): Promise<CampaignProgressView> {
    const campaign = await this.campaigns.find(accountId, campaignId);
    if (!campaign) throw new NotFound('Campaign');
    // One snapshot: a turn of the runner changes the campaign, its contacts, their calls and the counters together.
    const found = await this.database.snapshot(async (tx) => {
      const state = await this.campaigns.state(campaignId, tx);
      return state && { ...state, ...(await this.calls.count(state.callIds, tx)) };
    });
    if (!found) throw new NotFound('Campaign');
    const { counts, live: liveCalls, queued: queuedCalls, nextAt, callIds: _ids, ...current } = found;
    const live = { liveCalls, queuedCalls, nextAt: current.status === 'running' ? nextAt : null };
    return progressView(Object.assign(campaign, current), counts, live);
  }
}
