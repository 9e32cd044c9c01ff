import { type Acting, type AuditAction, AuditService } from '@app/audit';
import type { EntityTransaction } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { campaignRecord, type CampaignWebhookEvent, WebhookOutboxRepository } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import { campaignEvent } from './presenters/campaign.presenter.js';

/** What follows a change of a campaign: its audit event, its webhook, and wake-ups of the processes that go on. */
@Injectable()
export class CampaignAnnouncementsService {
  constructor(
    private readonly audit: AuditService,
    private readonly outbox: WebhookOutboxRepository,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Writes the audit event in the transaction of the change. */
  record(
    { accountId, actor }: Acting,
    action: AuditAction,
    { id, name }: Pick<CampaignEntity, 'id' | 'name'>,
    tx: EntityTransaction,
    details: object = {},
  ): Promise<void> {
    const subject = { kind: 'campaign', id };
    return this.audit.record({ accountId, actor, action, subject, details: { name, ...details } }, tx);
  }

  /** Writes the webhook, if the campaign has one, and advances `campaign.webhookSeq`, which the caller stores. */
  async send(
    campaign: CampaignEntity,
    event: CampaignWebhookEvent,
    counts: Readonly<Record<string, number>>,
    tx: EntityTransaction,
  ): Promise<void> {
    if (!campaign.webhook) return;
    campaign.webhookSeq += 1;
    const changed = campaignEvent(campaign, campaign.webhook, event, counts, new Date());
    await this.outbox.writeOfCampaign(campaignRecord(changed), tx);
  }

  /** Call after the commit. */
  wakeRunner(): void {
    this.wakeUps.wake('campaigns');
  }

  /** Call after the commit. */
  wakeDispatchers(): void {
    this.wakeUps.wake('webhooks');
  }

  /** Call after the commit. */
  wakeDialers(): void {
    this.wakeUps.wake('dial');
  }
}
