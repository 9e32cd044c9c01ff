import type { FieldErrors } from '@app/common';
import { RecordLookupsService } from '@app/accounts';
import { CampaignCallsService, type CampaignCallReferences, type ContactLimits } from '@app/calls';
import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import { callsOf, refusalOf } from './campaign-contacts.service.js';
import { CampaignPacingRepository } from './campaign-pacing.repository.js';
import { CampaignRunsRepository, type ContactChange, type DueContact } from './campaign-runs.repository.js';
import type { PauseReason, StoredReason } from './domain/campaign.js';
import type { CampaignTurn } from './domain/campaign-turn.js';
import { ContactTimes } from './domain/contact-times.js';
import { nextCallAfter, pickNumber, planRelease, type PoolNumber } from './domain/release-plan.js';

/** Contacts of one transaction that are looked at when those in front of them cannot be called. */
const LOOK_AHEAD = 500;
const ROUNDS = 4;
/** Calls of one transaction. */
const MAX_CALLS = 100;

type Turn = CampaignTurn<CampaignEntity>;

/** Creates the calls of a running campaign, within its windows and its share of the account. */
@Injectable()
export class CampaignReleaseService {
  constructor(
    private readonly runs: CampaignRunsRepository,
    private readonly pacing: CampaignPacingRepository,
    private readonly records: RecordLookupsService,
    private readonly calls: CampaignCallsService,
  ) {}

  /** One call per contact, contact and call in the same transaction: an attempt is one call, which is dialled once. */
  async release(turn: Turn, tx: EntityTransaction): Promise<void> {
    const { campaign, now } = turn;
    const startsIn = campaign.schedule.start_at ? new Date(campaign.schedule.start_at).getTime() - now.getTime() : 0;
    if (startsIn > 0) return void (turn.waitMs = startsIn);
    if (turn.contactsOf('waiting') === 0) return;
    const room = await this.pacing.room(campaign, tx);
    if (!room) return;
    const { pacing, resumedAt, nextCallAt } = campaign;
    const paced = { pacing, resumedAt, nextCallAt, calling: turn.contactsOf('calling') };
    const plan = planRelease(paced, room, now);
    if (plan.waitMs > 0) turn.waitMs = plan.waitMs;
    if (plan.calls === 0) return;
    const numbers = await this.numbersOf(campaign, tx);
    if (numbers.length === 0) return turn.pause('no_number');
    const calls = callsOf(campaign, numbers[0]!.id);
    const found = campaign.agentId === null ? undefined : await this.calls.references(calls, tx);
    const { ofAll } = found ? this.calls.problems(calls, [], found) : { ofAll: { agent_id: [] } as FieldErrors };
    if (Object.keys(ofAll).length > 0) return turn.pause(pauseReasonOf(ofAll));
    await this.fill(turn, Math.min(plan.calls, MAX_CALLS), { numbers, found: found!, limits: room }, tx);
    turn.hasMore ||= turn.created === MAX_CALLS;
    campaign.nextCallAt = nextCallAfter(paced, turn.created, now);
    if (campaign.nextCallAt && turn.created > 0) turn.waitMs = campaign.nextCallAt.getTime() - now.getTime();
  }

  /** Those of the pool that are active, in its order. */
  private async numbersOf({ accountId, numberIds }: CampaignEntity, tx: EntityTransaction): Promise<PoolNumber[]> {
    const active = (await this.records.numbers(accountId, numberIds, tx)).filter((number) => number.active);
    const byId = new Map(active.map(({ id, e164 }) => [id, { id, e164 }]));
    return [...new Set(numberIds)].flatMap((id) => byId.get(id) ?? []);
  }

  /** Looks at due contacts until `wanted` calls are created; contacts that cannot be called now make room for the next ones. */
  private async fill(
    turn: Turn,
    wanted: number,
    pool: { numbers: PoolNumber[]; found: CampaignCallReferences; limits: ContactLimits },
    tx: EntityTransaction,
  ): Promise<void> {
    const times = new ContactTimes(turn.campaign.schedule, turn.now, pool.limits);
    for (let round = 0, look = wanted; round < ROUNDS; round += 1, look = LOOK_AHEAD) {
      const due = await this.runs.lockDue(turn.campaign.id, turn.now, look, tx);
      const callable = await this.callableOf(turn, due, times, pool.found, tx);
      await this.create(turn, callable.slice(0, wanted - turn.created), times, pool, tx);
      if (turn.created >= wanted || due.length < look) return;
    }
    turn.hasMore = true;
  }

  /** The others move to their opening, or are refused. */
  private async callableOf(
    turn: Turn,
    due: readonly DueContact[],
    times: ContactTimes,
    found: CampaignCallReferences,
    tx: EntityTransaction,
  ): Promise<DueContact[]> {
    const changes: ContactChange[] = [];
    const change = (contact: DueContact, status: 'waiting' | 'refused', reason: StoredReason, dueAt: Date | null) => {
      const { id, outcome, attempts } = contact;
      changes.push({ id, status, outcome, hangupCause: null, reason, dueAt, attempts });
      turn.changes.moved(contact, { status, outcome, reason });
    };
    const open = due.filter((contact) => {
      const openness = times.opennessOf(contact);
      if (openness.open) return true;
      if (openness.opensAt) change(contact, 'waiting', 'waiting_for_window', openness.opensAt);
      else change(contact, 'refused', 'never_open', null);
      return false;
    });
    const listed = await this.calls.listed(turn.campaign.accountId, open, found, tx);
    const { ofContacts } = this.calls.problems(callsOf(turn.campaign, 0), open, found);
    const callable = open.filter((contact, place) => {
      if (listed.has(contact.id)) {
        change(contact, 'refused', 'do_not_call', null);
        return false;
      }
      const problem = ofContacts.get(place);
      if (!problem) return true;
      change(contact, 'refused', refusalOf(problem.field), null);
      return false;
    });
    await this.runs.change(changes, tx);
    return callable;
  }

  private async create(
    turn: Turn,
    contacts: readonly DueContact[],
    times: ContactTimes,
    { numbers, found }: { numbers: PoolNumber[]; found: CampaignCallReferences },
    tx: EntityTransaction,
  ): Promise<void> {
    if (contacts.length === 0) return;
    const { campaign, now } = turn;
    const called = contacts.map((contact, index) => {
      const { to_number: number } = contact;
      const from = pickNumber(campaign.rotation, numbers, campaign.attempts + index, number);
      return { ...contact, from, schedule: times.scheduleOf(contact) };
    });
    const ids = await this.calls.create(callsOf(campaign, numbers[0]!.id), called, found, tx);
    const changes = contacts.map((contact, index): ContactChange => {
      const { id, outcome, attempts } = contact;
      turn.changes.moved(contact, { status: 'calling', outcome, reason: null });
      const attempt = { attempts: attempts + 1, callId: ids[index], at: now };
      return { id, status: 'calling', outcome, hangupCause: null, reason: null, dueAt: null, ...attempt };
    });
    await this.runs.change(changes, tx);
    campaign.attempts += contacts.length;
    turn.created += contacts.length;
  }
}

/** A campaign is resumed by a request: after a correction no phone rings at a surprising time. */
function pauseReasonOf(problems: Readonly<FieldErrors>): PauseReason {
  if ('agent_id' in problems) return 'agent_inactive';
  if ('trunk_id' in problems) return 'trunk_inactive';
  if ('number_id' in problems) return 'no_number';
  return 'to_number' in problems ? 'spend_limit' : 'agent_inactive';
}
