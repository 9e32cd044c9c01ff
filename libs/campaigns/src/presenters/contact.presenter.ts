import { isoTime, timeOrNull } from '@app/common';
import type { CampaignContactEntity, CampaignEntity } from '../campaign.entity.js';
import { reasonOf } from '../domain/contact-reason.js';
import { contactSentence } from '../domain/reason-sentences.js';

/** A uuidv7 begins with its time in milliseconds. */
const createdAt = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));

/** A contact as the API and the export return it. */
export function contactView(
  contact: CampaignContactEntity,
  campaign: Pick<CampaignEntity, 'status' | 'schedule'>,
  now: Date,
) {
  const reason = reasonOf(contact, campaign, now);
  const isPostponed = contact.status === 'waiting' && contact.due_at > now;
  return {
    id: contact.id,
    campaign_id: contact.campaign_id,
    to_number: contact.to_number,
    time_zone: contact.time_zone,
    not_before: timeOrNull(contact.not_before),
    metadata: contact.metadata,
    variables: contact.variables,
    status: contact.status,
    /** Why it was not called, or not yet. */
    reason,
    explanation: contactSentence(contact, reason),
    /** Until when the reason holds; null: not postponed. */
    next_attempt_at: isPostponed ? isoTime(contact.due_at) : null,
    attempts: contact.attempts,
    outcome: contact.outcome,
    hangup_cause: contact.hangup_cause,
    call_id: contact.call_id,
    analysis: contact.analysis,
    last_attempt_at: timeOrNull(contact.last_attempt_at),
    created_at: isoTime(createdAt(contact.id)),
  };
}

export type ContactView = ReturnType<typeof contactView>;
