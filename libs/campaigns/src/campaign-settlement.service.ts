import { CampaignCallsService } from '@app/calls';
import type { EntityTransaction } from '@app/database';
import { metrics } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import { CampaignPacingRepository, type SettledContact } from './campaign-pacing.repository.js';
import { CampaignRunsRepository, type ContactChange } from './campaign-runs.repository.js';
import type { StoredReason } from './domain/campaign.js';
import type { CampaignTurn } from './domain/campaign-turn.js';
import { settle, type Settlement } from './domain/contact-outcome.js';
import { isBroken } from './domain/release-plan.js';

/** Attempts, calls and contacts of one transaction. */
const SETTLED_AT_ONCE = 200;
const STOPPED_AT_ONCE = 100;
const CLOSED_AT_ONCE = 2_000;

/** Attempts whose results a campaign keeps: as many as a breaker may count. */
const KEPT_RESULTS = 1_000;

/** Settles attempts that are over, and ends what a stopped campaign has left. */
@Injectable()
export class CampaignSettlementService {
  constructor(
    private readonly runs: CampaignRunsRepository,
    private readonly pacing: CampaignPacingRepository,
    private readonly calls: CampaignCallsService,
  ) {}

  /** The contacts whose calls have ended are reached, wait for their next attempt, or are given up. */
  async settle(turn: CampaignTurn<CampaignEntity>, tx: EntityTransaction): Promise<void> {
    const { campaign } = turn;
    const contacts = await this.pacing.settled(campaign.id, campaign.retry.unless?.wait_minutes, SETTLED_AT_ONCE, tx);
    const changes = contacts.map((contact) => this.settleOne(turn, contact));
    await this.runs.change(changes, tx);
    turn.hasMore ||= contacts.length === SETTLED_AT_ONCE;
    const isBreaking = campaign.status === 'running' && isBroken(campaign.pacing.breaker, campaign.recentResults);
    if (isBreaking) turn.pause('failure_rate');
  }

  /** Ends queued calls: all of a stopped campaign, or those that missed their window, whose contacts wait for the next one. */
  async recall(turn: CampaignTurn<CampaignEntity>, which: 'all' | 'postponed', tx: EntityTransaction): Promise<void> {
    const ids = await this.pacing.queued(turn.campaign.id, which, STOPPED_AT_ONCE, tx);
    if (ids.length === 0) return;
    await this.calls.endQueued(ids, which === 'all' ? 'campaign_stopped' : 'outside_window', tx);
    // They are settled like all calls that have ended.
    turn.hasMore = true;
  }

  /** Cancels the waiting contacts of a campaign that has ended. */
  async close(turn: CampaignTurn<CampaignEntity>, reason: StoredReason, tx: EntityTransaction): Promise<void> {
    const groups = await this.runs.close(turn.campaign.id, reason, CLOSED_AT_ONCE, tx);
    for (const { outcome, reason: before, contacts } of groups) {
      turn.changes.added({ status: 'waiting', outcome, reason: before }, -contacts);
      turn.changes.added({ status: 'cancelled', outcome, reason }, contacts);
    }
    turn.hasMore ||= groups.length > 0;
  }

  /** Contacts that wait for a window of an earlier schedule are looked at anew. */
  async reopen(turn: CampaignTurn<CampaignEntity>, tx: EntityTransaction): Promise<void> {
    const groups = await this.runs.reopen(turn.campaign.id, CLOSED_AT_ONCE, tx);
    for (const { outcome, reason, contacts } of groups) {
      turn.changes.added({ status: 'waiting', outcome, reason }, -contacts);
      turn.changes.added({ status: 'waiting', outcome, reason: null }, contacts);
    }
    turn.campaign.windowsChanged = groups.length > 0;
    turn.hasMore = true;
  }

  private settleOne(turn: CampaignTurn<CampaignEntity>, contact: SettledContact): ContactChange {
    const { campaign } = turn;
    const settlement = settle(contact.attempts, contact.call ?? undefined, campaign.retry);
    campaign.costMicros = String(BigInt(campaign.costMicros) + BigInt(contact.call?.cost_micros ?? 0));
    if (settlement.result) {
      const result = settlement.result === 'failed' ? 'f' : '-';
      campaign.recentResults = (campaign.recentResults + result).slice(-KEPT_RESULTS);
    }
    if (settlement.pause && campaign.status === 'running') turn.pause(settlement.pause);
    metrics.campaignAttempts.inc({ outcome: settlement.outcome ?? 'not_dialled' });
    const change = changeOf(contact, settlement);
    turn.changes.moved({ status: 'calling', outcome: contact.outcome, reason: null }, change);
    if (!settlement.counts) campaign.attempts -= 1;
    return change;
  }
}

function changeOf(contact: SettledContact, settlement: Settlement): ContactChange {
  const { status, outcome, reason, dueAt, counts } = settlement;
  const attempts = counts ? contact.attempts : contact.attempts - 1;
  const hangupCause =
    outcome === null && !isFinal(status) ? contact.hangup_cause : (contact.call?.hangup_cause ?? null);
  const analysis = settlement.analysis ?? null;
  return {
    id: contact.id,
    status,
    outcome: outcome ?? contact.outcome,
    hangupCause,
    reason,
    dueAt,
    attempts,
    analysis,
  };
}

const isFinal = (status: Settlement['status']): boolean => status !== 'waiting';
