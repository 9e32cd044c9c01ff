import type { CampaignSchedule, CampaignStatus, ContactReason, ContactStatus, StoredReason } from './campaign.js';

interface ReasonedCampaign {
  status: CampaignStatus;
  schedule: CampaignSchedule;
}

const OF_STATUS: Partial<Record<CampaignStatus, ContactReason>> = {
  draft: 'campaign_draft',
  paused: 'campaign_paused',
  cancelled: 'campaign_cancelled',
  completed: 'campaign_ended',
};

/** Why none of the waiting contacts is called; undefined: they are called as they become due. */
export function campaignReason({ status, schedule }: ReasonedCampaign, now: Date): ContactReason | undefined {
  if (status !== 'running') return OF_STATUS[status];
  if (schedule.end_at && new Date(schedule.end_at) <= now) return 'campaign_ended';
  return schedule.start_at && new Date(schedule.start_at) > now ? 'waiting_for_start' : undefined;
}

interface ReasonedContact {
  status: ContactStatus;
  due_at: Date;
  reason: StoredReason | null;
}

/** Why a contact was not called, or not yet; null: it is being called, or was reached. */
export function reasonOf(contact: ReasonedContact, campaign: ReasonedCampaign, now: Date): ContactReason | null {
  if (contact.status !== 'waiting') return contact.reason;
  const ofCampaign = campaignReason(campaign, now);
  if (ofCampaign) return ofCampaign;
  return contact.due_at > now ? contact.reason : 'waiting_for_capacity';
}
