import { type Encryption, isoTime, timeOrNull, usd } from '@app/common';
import {
  type CampaignOutboxEvent,
  type CampaignWebhookEvent,
  maskHeaders,
  openHeaders,
  type StoredWebhook,
} from '@app/webhooks';
import type { CampaignEntity } from '../campaign.entity.js';
import {
  CONTACT_OUTCOMES,
  CONTACT_STATUSES,
  type ContactOutcome,
  type ContactReason,
  type ContactStatus,
  type StoredReason,
  WAITING_REASONS,
} from '../domain/campaign.js';
import { campaignReason } from '../domain/contact-reason.js';

/** A campaign as the API returns it. */
export const campaignView = (campaign: CampaignEntity, encryption: Encryption) => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  pause_reason: campaign.pauseReason,
  agent_id: campaign.agentId,
  agent_version: campaign.agentVersion,
  number_ids: campaign.numberIds,
  rotation: campaign.rotation,
  trunk_id: campaign.trunkId,
  record: campaign.record,
  require_disclosure: campaign.requireDisclosure,
  metadata: campaign.metadata,
  variables: campaign.variables,
  schedule: campaign.schedule,
  retry: { ...campaign.retry, unless: campaign.retry.unless ?? null },
  pacing: campaign.pacing,
  webhook: campaign.webhook && {
    url: campaign.webhook.url,
    method: campaign.webhook.method,
    headers: maskHeaders(openHeaders(encryption, campaign.webhook.headers_sealed)),
  },
  started_at: timeOrNull(campaign.startedAt),
  resumed_at: timeOrNull(campaign.resumedAt),
  ended_at: timeOrNull(campaign.endedAt),
  created_at: isoTime(campaign.createdAt),
  updated_at: isoTime(campaign.updatedAt),
});

export type CampaignView = ReturnType<typeof campaignView>;

/** Counted contacts of a campaign by the keys of `campaign_progress`. */
type ProgressCounts = Readonly<Record<string, number>>;

/** What a campaign has reached, without a scan of its contacts. */
export function progressView(campaign: CampaignEntity, counts: ProgressCounts, live: LiveProgress) {
  const contacts = Object.fromEntries(CONTACT_STATUSES.map((status) => [status, counts[status] ?? 0]));
  return {
    campaign_id: campaign.id,
    status: campaign.status,
    pause_reason: campaign.pauseReason,
    contacts: { total: sum(Object.values(contacts)), ...(contacts as Record<ContactStatus, number>) },
    outcomes: Object.fromEntries(
      CONTACT_OUTCOMES.map((outcome) => [outcome, counts[`outcome:${outcome}`] ?? 0]),
    ) as Record<ContactOutcome, number>,
    reasons: reasonCounts(campaign, counts),
    attempts: campaign.attempts,
    cost: usd(Number(campaign.costMicros)),
    live_calls: live.liveCalls,
    queued_calls: live.queuedCalls,
    next_attempt_at: timeOrNull(live.nextAt),
  };
}

export type CampaignProgressView = ReturnType<typeof progressView>;

interface LiveProgress {
  liveCalls: number;
  queuedCalls: number;
  /** When the next waiting contact is due; null: none waits, or the campaign does not run. */
  nextAt: Date | null;
}

/** Contacts by the reason why they were not called, or not yet. Reasons without contacts are left out. */
function reasonCounts(campaign: CampaignEntity, counts: ProgressCounts): Partial<Record<ContactReason, number>> {
  const stored = Object.entries(counts).flatMap(([key, contacts]): [StoredReason, number][] =>
    key.startsWith('reason:') && contacts > 0 ? [[key.slice('reason:'.length) as StoredReason, contacts]] : [],
  );
  const isWaiting = ([reason]: [StoredReason, number]) => (WAITING_REASONS as readonly string[]).includes(reason);
  const waiting = counts['waiting'] ?? 0;
  const ofCampaign = campaignReason(campaign, new Date());
  const postponed = ofCampaign ? [] : stored.filter(isWaiting);
  const others = waiting - sum(postponed.map(([, contacts]) => contacts));
  return Object.fromEntries([
    ...stored.filter((one) => !isWaiting(one)),
    ...postponed,
    ...(others > 0 ? [[ofCampaign ?? 'waiting_for_capacity', others]] : []),
  ]) as Partial<Record<ContactReason, number>>;
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The webhook of a change of status. */
export function campaignEvent(
  campaign: CampaignEntity,
  target: StoredWebhook,
  event: CampaignWebhookEvent,
  counts: ProgressCounts,
  at: Date,
): CampaignOutboxEvent {
  const {
    campaign_id: id,
    status,
    pause_reason,
    contacts,
    outcomes,
    attempts,
    cost,
  } = progressView(campaign, counts, {
    liveCalls: 0,
    queuedCalls: 0,
    nextAt: null,
  });
  const progress = { contacts, outcomes, attempts, cost };
  return {
    accountId: campaign.accountId,
    campaignId: campaign.id,
    event,
    sequence: campaign.webhookSeq,
    createdAt: at,
    target,
    data: { campaign_id: id, name: campaign.name, status, pause_reason, agent_id: campaign.agentId, ...progress },
  };
}
