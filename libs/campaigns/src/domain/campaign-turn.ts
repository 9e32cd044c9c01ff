import type { CampaignWebhookEvent } from '@app/webhooks';
import type { CampaignStatus, PauseReason } from './campaign.js';
import { ProgressChanges } from './progress-changes.js';

interface TurningCampaign {
  status: CampaignStatus;
  pauseReason: PauseReason | null;
  endedAt: Date | null;
  hasWork: boolean;
}

/** One transaction of the runner on one campaign: what has changed so far, and what is left for the next one. */
export class CampaignTurn<C extends TurningCampaign> {
  readonly changes = new ProgressChanges();
  /** The change of the status, for the webhook. */
  event?: CampaignWebhookEvent;
  /** Calls that were created. */
  created = 0;
  /** The next turn may follow at once: this one did not finish its work. */
  hasMore = false;
  /** Milliseconds until there is something to do; undefined: until something happens. */
  waitMs?: number;

  constructor(
    readonly campaign: C,
    /** Contacts by the keys of `campaign_progress`, before this turn. */
    private readonly counts: Readonly<Record<string, number>>,
    readonly now: Date,
  ) {}

  /** Contacts by key, with the changes of this turn. */
  get counted(): Record<string, number> {
    const counted = { ...this.counts };
    for (const [key, contacts] of this.changes.byKey) counted[key] = (counted[key] ?? 0) + contacts;
    return counted;
  }

  contactsOf(key: string): number {
    return (this.counts[key] ?? 0) + (this.changes.byKey.get(key) ?? 0);
  }

  pause(reason: PauseReason): void {
    Object.assign(this.campaign, { status: 'paused', pauseReason: reason });
    this.event = 'paused';
    this.hasMore = true;
  }

  complete(): void {
    Object.assign(this.campaign, { status: 'completed', endedAt: this.now, hasWork: false });
    this.event = 'completed';
  }
}
