import { THE_SERVICE } from '@app/audit';
import type { Log } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import { CampaignAnnouncementsService } from './campaign-announcements.service.js';
import { CampaignRunsRepository } from './campaign-runs.repository.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CampaignTurn } from './domain/campaign-turn.js';

type Turn = CampaignTurn<CampaignEntity>;

/** The beginning and the end of a turn of the runner: one transaction under the lock of the campaign. */
@Injectable()
export class CampaignTurnsService {
  constructor(
    private readonly runs: CampaignRunsRepository,
    private readonly campaigns: CampaignsRepository,
    private readonly announcements: CampaignAnnouncementsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  withWork(): Promise<number[]> {
    return this.runs.withWork();
  }

  /** Undefined: another worker has the turn, or the campaign has no work. */
  async begin(id: number, tx: EntityTransaction): Promise<Turn | undefined> {
    const campaign = await this.runs.lock(id, tx);
    return campaign && new CampaignTurn(campaign, await this.campaigns.counts(id, tx), new Date());
  }

  /** Completes a campaign without waiting and calling contacts. */
  async completeIfDone(turn: Turn, tx: EntityTransaction): Promise<void> {
    if (turn.contactsOf('waiting') > 0 || turn.contactsOf('calling') > 0) return;
    // In a separate turn: no contact may be locked while this waits for transactions that add some.
    if (turn.changes.byKey.size > 0) return void (turn.hasMore = true);
    await this.runs.lockAgainstContacts(turn.campaign.id, tx);
    // The rows of an import are still to come.
    if (await this.runs.isImporting(turn.campaign.id, tx)) return;
    const counts = await this.campaigns.counts(turn.campaign.id, tx);
    if ((counts['waiting'] ?? 0) === 0) turn.complete();
  }

  /** Stores the campaign with the counters, and announces a change of its status. */
  async end(turn: Turn, tx: EntityTransaction): Promise<void> {
    const { campaign, event } = turn;
    if (event) {
      const { accountId, id, pauseReason } = campaign;
      const details = pauseReason ? { pause_reason: pauseReason } : {};
      const acting = { accountId, actor: THE_SERVICE };
      await this.announcements.record(acting, `campaign.${event}`, campaign, tx, details);
      await this.announcements.send(campaign, event, turn.counted, tx);
      this.log.info({ campaign_id: id, event, pause_reason: pauseReason }, 'the status of a campaign changed');
    }
    await this.runs.store(campaign, tx);
    await this.campaigns.addCounts(campaign.id, turn.changes.byKey, tx);
  }
}
