import { AccountLimitsService } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import {
  type CampaignCallReferences,
  type CampaignCalls,
  CampaignCallsService,
  DISCLOSURE_FIELD,
  parseDestination,
} from '@app/calls';
import { Conflict, newId, NotFound } from '@app/common';
import { Database, type ListCursor, type Sql, writeCursor } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import { type ContactCondition, CampaignContactsRepository, type ContactRow } from './campaign-contacts.repository.js';
import type { CampaignEntity } from './campaign.entity.js';
import { CampaignsRepository } from './campaigns.repository.js';
import {
  type CampaignStatus,
  type ContactOutcome,
  type ContactReason,
  type ContactStatus,
  type StoredReason,
  WAITING_REASONS,
} from './domain/campaign.js';
import { type ContactInput, type NewContact, readContact, type RefusedContact } from './domain/contact-input.js';
import { campaignReason } from './domain/contact-reason.js';
import { ProgressChanges } from './domain/progress-changes.js';
import { contactView, type ContactView } from './presenters/contact.presenter.js';

/** Contacts of one request. */
export const MAX_CONTACTS_PER_REQUEST = 10_000;
/** Contacts of one campaign. */
const MAX_CONTACTS = 1_000_000;
/** Contacts of one transaction: reading them blocks the process for some milliseconds. */
const BATCH = 500;

/** What happens to numbers that the campaign has already: merged into waiting contacts, or refused. */
export type DuplicateHandling = 'merge' | 'refuse';

export interface AddedContacts {
  added: number;
  merged: number;
  refused: RefusedContact[];
}

/** The filters of a list of contacts. */
export interface ContactFilter {
  status?: ContactStatus;
  reason?: ContactReason;
  outcome?: ContactOutcome;
  /** E.164 or SIP URI as stored. */
  toNumber?: string;
}

/** A campaign that takes contacts, with the data that decides about them. */
export interface ContactIntake {
  campaign: CampaignEntity;
  calls: CampaignCalls;
  found: CampaignCallReferences;
}

/** The contacts of campaigns. */
@Injectable()
export class CampaignContactsService {
  constructor(
    private readonly database: Database,
    private readonly campaigns: CampaignsRepository,
    private readonly contacts: CampaignContactsRepository,
    private readonly calls: CampaignCallsService,
    private readonly limits: AccountLimitsService,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Deletes what contacts quote of the analyses of their calls. */
  forgetAnalyses(contactIds: readonly string[], tx: Sql): Promise<void> {
    return this.contacts.forgetAnalyses(contactIds, null, tx);
  }

  /**
   * Adds the contacts of a request, 10,000 at most, in batches: after a crash a repetition adds the others. Rows that cannot be called
   * are reported and do not stop the others. Throws NotFound, and Conflict when the campaign has ended.
   */
  async add(
    acting: Acting,
    campaignId: number,
    contacts: readonly ContactInput[],
    duplicates: DuplicateHandling,
  ): Promise<AddedContacts> {
    const intake = await this.open(acting.accountId, campaignId);
    const sum: AddedContacts = { added: 0, merged: 0, refused: [] };
    for (let first = 0; first < contacts.length; first += BATCH) {
      const batch = await this.addBatch(intake, contacts.slice(first, first + BATCH), duplicates, first);
      sum.added += batch.added;
      sum.merged += batch.merged;
      sum.refused.push(...batch.refused);
    }
    await this.recordAdded(acting, campaignId, sum);
    await this.suggestNumbers(acting.accountId, contacts, sum.refused);
    return sum;
  }

  /** For imports of files: `addBatch` per some hundred rows, then `recordAdded`. Throws NotFound, and Conflict when the campaign has ended. */
  async open(accountId: number, campaignId: number): Promise<ContactIntake> {
    const campaign = await this.campaign(accountId, campaignId);
    takesContacts(campaign.status);
    const calls = callsOf(campaign, campaign.numberIds[0] ?? 0);
    const found = await this.calls.references(calls);
    if (!found) throw new Conflict('The agent of the campaign, or its version, was deleted. Choose another one first.');
    return { campaign, calls, found };
  }

  /**
   * One transaction, which `also` joins. The `index` of refused rows counts from `firstIndex`. Throws NotFound and Conflict when the campaign
   * was deleted or has ended meanwhile.
   */
  async addBatch(
    { campaign, calls, found }: ContactIntake,
    contacts: readonly ContactInput[],
    duplicates: DuplicateHandling,
    firstIndex = 0,
    also: (added: AddedContacts, tx: Sql) => Promise<void> = () => Promise.resolve(),
  ): Promise<AddedContacts> {
    const batch = readBatch(contacts, duplicates);
    refuseUncallable(batch, this.calls, calls, found);
    const { accountId, id: campaignId } = campaign;
    const added = await this.database.transaction(async (tx) => {
      takesContacts(await this.campaigns.lockForContacts(campaignId, tx));
      await this.refuseExcess(campaignId, batch, tx);
      const changes = new ProgressChanges();
      const rows = [...batch.contacts].map(([index, contact]) => ({ index, id: newId(), ...contact }));
      const merge = duplicates === 'merge';
      const result = { added: 0, merged: 0 };
      const stored = rows.length > 0 ? await this.contacts.add({ accountId, campaignId, merge }, rows, tx) : [];
      for (const { place, before, written, contact } of stored) {
        if (!written) batch.refused.push(takenNumber(rows[place - 1]!.index, before?.status));
        else {
          const isPostponed = contact.not_before !== null && contact.not_before > new Date();
          const keptReason = before?.reason === 'waiting_for_retry' ? before.reason : undefined;
          const reason = keptReason ?? (isPostponed ? ('not_before' as const) : null);
          changes.moved(before, { status: 'waiting', outcome: before?.outcome ?? null, reason });
          result[before ? 'merged' : 'added'] += 1;
        }
      }
      const refused = batch.refused.toSorted((a, b) => a.index - b.index);
      const sum = {
        added: result.added,
        merged: result.merged + batch.mergedInside,
        refused: refused.map((one) => ({ ...one, index: one.index + firstIndex })),
      };
      await also(sum, tx);
      await this.campaigns.addCounts(campaignId, changes.byKey, tx);
      return sum;
    });
    this.wakeUps.wake('campaigns');
    return added;
  }

  /**
   * What `addBatch` would do with each of the contacts; nothing is added. `known`: the numbers of earlier batches, which those of this one
   * join. Other requests may add contacts meanwhile.
   */
  async checkBatch(
    { campaign, calls, found }: ContactIntake,
    contacts: readonly ContactInput[],
    duplicates: DuplicateHandling,
    known: Set<string>,
  ): Promise<('added' | 'merged' | RefusedContact)[]> {
    const batch = readBatch(contacts, duplicates);
    refuseUncallable(batch, this.calls, calls, found);
    const numbers = [...batch.contacts.values()].map((contact) => contact.to_number);
    const stored = await this.contacts.statusesOf(campaign.id, numbers);
    const refused = new Map(batch.refused.map((one) => [one.index, one]));
    return contacts.map((_, index) => {
      const contact = batch.contacts.get(index);
      // A later row of the batch replaces the others.
      if (!contact) return refused.get(index) ?? 'merged';
      const status = known.has(contact.to_number) ? 'waiting' : stored.get(contact.to_number);
      known.add(contact.to_number);
      if (status === undefined) return 'added';
      return duplicates === 'merge' && status === 'waiting' ? 'merged' : takenNumber(index, status);
    });
  }

  /** Adds to refused numbers what they would be in the default country of the account. */
  private async suggestNumbers(
    accountId: number,
    contacts: readonly ContactInput[],
    refused: readonly RefusedContact[],
  ): Promise<void> {
    const wrong = refused.filter(({ reason }) => reason === 'invalid_number');
    const country = wrong.length > 0 ? await this.limits.defaultCountry(accountId) : null;
    if (country === null) return;
    for (const one of wrong) {
      const parsed = parseDestination(contacts[one.index]?.to_number, country);
      if (parsed.kind === 'wrong') one.message = parsed.problem;
    }
  }

  /** The audit event of an import. */
  async recordAdded(
    { accountId, actor }: Acting,
    campaignId: number,
    { added, merged, refused }: AddedTotals,
  ): Promise<void> {
    const refusals = typeof refused === 'number' ? refused : refused.length;
    const details = { added, merged, refused: refusals };
    const subject = { kind: 'campaign', id: campaignId };
    await this.database.transaction((tx) =>
      this.audit.record({ accountId, actor, action: 'campaign_contacts.added', subject, details }, tx),
    );
  }

  /** @throws NotFound */
  async find(accountId: number, campaignId: number, contactId: string): Promise<ContactView> {
    const campaign = await this.campaign(accountId, campaignId);
    const contact = await this.contacts.find(accountId, campaignId, contactId);
    if (!contact) throw new NotFound('Contact');
    return contactView(contact, campaign, new Date());
  }

  /** A waiting contact is not called any more; others cannot be removed. Throws NotFound and Conflict. */
  async remove({ accountId, actor }: Acting, campaignId: number, contactId: string): Promise<ContactView> {
    const campaign = await this.campaign(accountId, campaignId);
    const removed = await this.database.transaction(async (tx) => {
      const before = await this.contacts.lock(accountId, campaignId, contactId, tx);
      if (!before) throw new NotFound('Contact');
      if (before.status !== 'waiting') throw new Conflict(notRemovable(before.status));
      const after = await this.contacts.remove(contactId, tx);
      const subject = { kind: 'campaign', id: campaignId };
      const details = { contact_id: contactId };
      await this.audit.record({ accountId, actor, action: 'campaign_contact.removed', subject, details }, tx);
      const changes = new ProgressChanges();
      changes.moved(before, after);
      await this.campaigns.addCounts(campaignId, changes.byKey, tx);
      return after;
    });
    this.wakeUps.wake('campaigns');
    return contactView(removed, campaign, new Date());
  }

  /** A numbered page in the order of the import. `isEstimate`: a filter matches more than `total`. Throws NotFound. */
  async page(
    accountId: number,
    campaignId: number,
    filter: ContactFilter,
    place: { page: number; perPage: number },
  ): Promise<{ contacts: ContactView[]; total: number; isEstimate: boolean }> {
    const campaign = await this.campaign(accountId, campaignId);
    const condition = conditionOf(filter, campaign);
    if (!condition) return { contacts: [], total: 0, isEstimate: false };
    const [contacts, { total, isEstimate }] = await Promise.all([
      this.contacts.page(campaignId, condition, place),
      this.total(campaignId, condition),
    ]);
    return { contacts: viewsOf(contacts, campaign), total, isEstimate };
  }

  /** The contacts beside a cursor (without one: the first), in the order of the import. Throws NotFound. */
  async slice(
    accountId: number,
    campaignId: number,
    filter: ContactFilter,
    { cursor, perPage }: { cursor?: ListCursor; perPage: number },
  ): Promise<{ contacts: ContactView[]; next: string | null; prev: string | null }> {
    const campaign = await this.campaign(accountId, campaignId);
    const condition = conditionOf(filter, campaign);
    if (!condition) return { contacts: [], next: null, prev: null };
    const found = await this.contacts.slice(campaignId, condition, { cursor, limit: perPage + 1 });
    const isBack = cursor?.direction === 'newer';
    const more = found.length > perPage;
    const kept = found.slice(0, perPage);
    if (isBack) kept.reverse();
    const at = (row: ContactRow | undefined, direction: ListCursor['direction']): string | null =>
      row ? writeCursor({ micros: '0', id: row.id, direction }) : null;
    return {
      contacts: viewsOf(kept, campaign),
      next: isBack || more ? at(kept.at(-1), 'older') : null,
      prev: (isBack ? more : cursor) ? at(kept[0], 'newer') : null,
    };
  }

  /** The contacts with a number in all campaigns of the account, the newest 100. */
  async ofNumber(accountId: number, toNumber: string): Promise<{ campaign: string; contact: ContactView }[]> {
    const found = await this.contacts.ofNumber(accountId, toNumber, 100);
    const now = new Date();
    return found.map(({ campaign_name: campaign, campaign_status: status, schedule, ...contact }) => ({
      campaign,
      contact: contactView(contact, { status, schedule }, now),
    }));
  }

  /** All contacts in the order of the import, some hundred in memory at a time. Throws NotFound before the first one. */
  async *export(accountId: number, campaignId: number, filter: ContactFilter = {}): AsyncGenerator<ContactView[]> {
    const campaign = await this.campaign(accountId, campaignId);
    const condition = conditionOf(filter, campaign);
    if (!condition) return;
    let cursor: ListCursor | undefined;
    for (;;) {
      const found = await this.contacts.slice(campaignId, condition, { cursor, limit: BATCH });
      if (found.length > 0) yield viewsOf(found, campaign);
      const last = found.at(-1);
      if (!last || found.length < BATCH) return;
      cursor = { micros: '0', id: last.id, direction: 'older' };
    }
  }

  private async campaign(accountId: number, campaignId: number): Promise<CampaignEntity> {
    const campaign = await this.campaigns.find(accountId, campaignId);
    if (!campaign) throw new NotFound('Campaign');
    return campaign;
  }

  /** Whole lists and those by status are counted already. */
  private async total(
    campaignId: number,
    condition: ContactCondition,
  ): Promise<{ total: number; isEstimate: boolean }> {
    const { status, ...others } = condition;
    if (Object.values(others).every((one) => one === undefined)) {
      const counts = await this.campaigns.counts(campaignId);
      return { total: status ? (counts[status] ?? 0) : totalOf(counts), isEstimate: false };
    }
    const counted = await this.contacts.count(campaignId, condition);
    return { total: counted, isEstimate: counted > 10_000 };
  }

  private async refuseExcess(campaignId: number, batch: Batch, tx: Sql): Promise<void> {
    const room = MAX_CONTACTS - totalOf(await this.campaigns.counts(campaignId, tx));
    const excess = [...batch.contacts.keys()].slice(Math.max(0, room));
    for (const index of excess) {
      batch.contacts.delete(index);
      const message = `A campaign has at most ${MAX_CONTACTS.toLocaleString('en-US')} contacts.`;
      batch.refused.push({ index, field: 'to_number', reason: 'campaign_full', message });
    }
  }
}

type AddedTotals = Omit<AddedContacts, 'refused'> & { refused: number | RefusedContact[] };

interface Batch {
  /** By the place of the row. */
  contacts: Map<number, NewContact>;
  refused: RefusedContact[];
  /** Rows that a later row of the batch replaced. */
  mergedInside: number;
}

function readBatch(inputs: readonly ContactInput[], duplicates: DuplicateHandling): Batch {
  const batch: Batch = { contacts: new Map(), refused: [], mergedInside: 0 };
  const places = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    const read = readContact(input);
    if ('message' in read) {
      batch.refused.push({ index, ...read });
      continue;
    }
    const earlier = places.get(read.to_number);
    if (earlier !== undefined && duplicates === 'refuse') {
      batch.refused.push(takenNumber(index, 'waiting'));
      continue;
    }
    if (earlier !== undefined) {
      batch.contacts.delete(earlier);
      batch.mergedInside += 1;
    }
    places.set(read.to_number, index);
    batch.contacts.set(index, read);
  }
  return batch;
}

function refuseUncallable(
  batch: Batch,
  service: CampaignCallsService,
  calls: CampaignCalls,
  found: CampaignCallReferences,
): void {
  const places = [...batch.contacts.keys()];
  const contacts = [...batch.contacts.values()].map((contact) => ({ id: '', ...contact }));
  for (const [place, { field, message }] of service.problems(calls, contacts, found).ofContacts) {
    const index = places[place]!;
    batch.contacts.delete(index);
    const reason = refusalOf(field);
    batch.refused.push({ index, field, reason, message });
  }
}

/** Why a contact with a problem in this field cannot be called. */
export function refusalOf(field: string): 'blocked_destination' | 'missing_disclosure' | 'missing_variables' {
  if (field === DISCLOSURE_FIELD) return 'missing_disclosure';
  return field === 'to_number' ? 'blocked_destination' : 'missing_variables';
}

function takenNumber(index: number, status: ContactStatus | undefined): RefusedContact {
  const isWaiting = status === undefined || status === 'waiting';
  const message = isWaiting
    ? 'The campaign has the number already.'
    : 'The campaign has the number already, and it was or is being called, or must not be called.';
  return { index, field: 'to_number', reason: isWaiting ? 'duplicate' : 'already_called', message };
}

function takesContacts(status: CampaignStatus | undefined): void {
  if (status === undefined) throw new NotFound('Campaign');
  if (status === 'completed' || status === 'cancelled')
    throw new Conflict(`The campaign is ${status} and takes no contacts.`);
}

const notRemovable = (status: ContactStatus): string =>
  status === 'calling'
    ? 'The contact is being called. Cancel its call, or remove the contact afterwards.'
    : `The contact is ${status} and is not called any more.`;

const viewsOf = (contacts: readonly ContactRow[], campaign: CampaignEntity): ContactView[] => {
  const now = new Date();
  return contacts.map((contact) => contactView(contact, campaign, now));
};

const STATUSES = new Set<string>(['waiting', 'calling', 'reached', 'exhausted', 'refused', 'cancelled']);

const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.entries(counts).reduce((total, [key, contacts]) => (STATUSES.has(key) ? total + contacts : total), 0);

/** undefined: no contact can match. The reasons of the campaign as a whole are those of all its waiting contacts. */
function conditionOf({ reason, ...filter }: ContactFilter, campaign: CampaignEntity): ContactCondition | undefined {
  if (reason === undefined) return filter;
  const ofCampaign = campaignReason(campaign, new Date());
  const isWaiting = filter.status === undefined || filter.status === 'waiting';
  if (reason === ofCampaign && !isFinal(reason)) return isWaiting ? { ...filter, status: 'waiting' } : undefined;
  if (reason === 'waiting_for_capacity') return ofCampaign || !isWaiting ? undefined : { ...filter, due: true };
  if (isFinal(reason)) return { ...filter, reason };
  if (!(WAITING_REASONS as readonly string[]).includes(reason) || ofCampaign) return undefined;
  return { ...filter, reason: reason as StoredReason };
}

const NOT_STORED: readonly ContactReason[] = [
  'campaign_draft',
  'campaign_paused',
  'waiting_for_start',
  'waiting_for_capacity',
];

const isFinal = (reason: ContactReason): reason is StoredReason =>
  !NOT_STORED.includes(reason) && !(WAITING_REASONS as readonly string[]).includes(reason);

/** What the calls of a campaign share, from one of its numbers. */
export function callsOf(campaign: CampaignEntity, numberId: number): CampaignCalls {
  const { accountId, agentVersion, trunkId, record, metadata, variables, requireDisclosure } = campaign;
  const shared = { accountId, agentVersion, trunkId, record, metadata, variables, requireDisclosure };
  return { campaignId: campaign.id, agentId: campaign.agentId ?? 0, numberId, ...shared };
}
