import { Database, type ListCursor, pgJson, type Query, type Sql, type Statement } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignContactEntity } from './campaign.entity.js';
import type {
  CampaignSchedule,
  CampaignStatus,
  ContactOutcome,
  ContactStatus,
  StoredReason,
} from './domain/campaign.js';
import type { NewContact } from './domain/contact-input.js';
import type { CountedContact } from './domain/progress-changes.js';

export type ContactRow = Pick<CampaignContactEntity, keyof CampaignContactEntity>;

/** The conditions of a list of contacts. */
export interface ContactCondition {
  status?: ContactStatus;
  outcome?: ContactOutcome;
  toNumber?: string;
  /** Stored with the contact, and still valid: a contact whose time has come waits for nothing else. */
  reason?: StoredReason;
  /** Waiting contacts whose time has come. */
  due?: true;
}

/** A contact of a batch, and what became of it. */
interface AddedRow {
  place: number;
  /** null: the number is new. */
  before_status: ContactStatus | null;
  before_outcome: ContactOutcome | null;
  before_reason: StoredReason | null;
  /** The row was written. */
  written: boolean;
}

interface AddedContact {
  contact: NewContact;
  /** From 1. */
  place: number;
  /** undefined: the number is new. */
  before: CountedContact | undefined;
  written: boolean;
}

const COLUMNS = `id, account_id, campaign_id, to_number, time_zone, not_before, metadata, variables, status, due_at, reason, attempts,
  outcome, hangup_cause, call_id, analysis, last_attempt_at`;

const EPOCH = `'1970-01-01 00:00:00+00'`;

/**
 * One statement per batch. A waiting contact takes the values of the newer row; `$9` false: existing numbers are left alone. The rows
 * are locked in the order of their numbers, so that two imports of the same file do not deadlock.
 */
const ADD: Statement = {
  name: 'add-campaign-contacts',
  text: `WITH given AS MATERIALIZED (
      SELECT * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
        WITH ORDINALITY AS g (id, to_number, time_zone, not_before, metadata, variables, place)),
    before AS MATERIALIZED (
      SELECT c.to_number, c.status, c.outcome, c.reason FROM campaign_contacts c
       WHERE c.campaign_id = $2 AND c.to_number = ANY ($4::text[]) ORDER BY c.to_number FOR UPDATE),
    written AS (
      INSERT INTO campaign_contacts AS c
        (id, account_id, campaign_id, to_number, time_zone, not_before, metadata, variables, due_at, reason)
      SELECT g.id, $1, $2, g.to_number, g.time_zone, g.not_before, g.metadata::jsonb, g.variables::jsonb,
          CASE WHEN g.not_before > now() THEN g.not_before ELSE ${EPOCH}::timestamptz END,
          CASE WHEN g.not_before > now() THEN 'not_before' END
        FROM given g ORDER BY g.to_number
      ON CONFLICT (campaign_id, to_number) DO UPDATE SET time_zone = excluded.time_zone, not_before = excluded.not_before,
          metadata = excluded.metadata, variables = excluded.variables,
          due_at = CASE WHEN c.reason = 'waiting_for_retry' THEN c.due_at ELSE excluded.due_at END,
          reason = CASE WHEN c.reason = 'waiting_for_retry' THEN c.reason ELSE excluded.reason END
        WHERE $9 AND c.status = 'waiting'
      RETURNING c.to_number)
    SELECT g.place::integer AS place, b.status AS before_status, b.outcome AS before_outcome, b.reason AS before_reason,
        w.to_number IS NOT NULL AS written
      FROM given g LEFT JOIN before b USING (to_number) LEFT JOIN written w USING (to_number)`,
};

const STATUSES_OF: Statement = {
  name: 'campaign-contact-statuses',
  text: `SELECT to_number, status FROM campaign_contacts WHERE campaign_id = $1 AND to_number = ANY ($2::text[])`,
};

interface CampaignOfContact {
  campaign_name: string;
  campaign_status: CampaignStatus;
  schedule: CampaignSchedule;
}

const OF_NUMBER: Statement = {
  name: 'campaign-contacts-of-number',
  text: `SELECT ${COLUMNS.replaceAll(/\b(\w+)(?=,|$)/g, 'c.$1')}, k.name AS campaign_name, k.status AS campaign_status, k.schedule
    FROM campaigns k JOIN campaign_contacts c ON c.campaign_id = k.id AND c.to_number = $2
   WHERE k.account_id = $1 ORDER BY k.id DESC LIMIT $3`,
};

const FIND: Statement = {
  name: 'find-campaign-contact',
  text: `SELECT ${COLUMNS} FROM campaign_contacts WHERE account_id = $1 AND campaign_id = $2 AND id = $3`,
};

const LOCK: Statement = { name: 'lock-campaign-contact', text: `${FIND.text} FOR UPDATE` };

const REMOVE: Statement = {
  name: 'remove-campaign-contact',
  text: `UPDATE campaign_contacts SET status = 'cancelled', reason = 'removed' WHERE id = $1 RETURNING ${COLUMNS}`,
};

const FORGET_ANALYSES: Statement = {
  name: 'forget-contact-analyses',
  text: `UPDATE campaign_contacts SET analysis = NULL WHERE id = ANY ($1::uuid[]) AND analysis IS NOT NULL
    AND ($2::uuid IS NULL OR call_id = $2)`,
};

/** Counted exactly up to here: the list shows no more pages by number. */
const MAX_COUNTED = 10_000;

/** The statements on `campaign_contacts` that requests need. Prepared: imports and exports run them a thousand times. */
@Injectable()
export class CampaignContactsRepository {
  constructor(private readonly database: Database) {}

  /** Adds or merges the contacts of a batch, whose numbers differ. */
  async add(
    campaign: { accountId: number; campaignId: number; merge: boolean },
    contacts: readonly (NewContact & { id: string })[],
    tx: Sql,
  ): Promise<AddedContact[]> {
    const json = (value: object | null): string | null => (value === null ? null : pgJson(value));
    const rows = await this.database.rows<AddedRow & Record<string, unknown>>(
      ADD,
      [
        campaign.accountId,
        campaign.campaignId,
        contacts.map(({ id }) => id),
        contacts.map((one) => one.to_number),
        contacts.map((one) => one.time_zone),
        contacts.map((one) => one.not_before),
        contacts.map((one) => json(one.metadata)),
        contacts.map((one) => json(one.variables)),
        campaign.merge,
      ],
      tx,
    );
    return rows.map((row) => {
      const { place, written } = row;
      return { place, written, before: beforeOf(row), contact: contacts[place - 1]! };
    });
  }

  /** The contacts of a campaign that have one of the numbers. */
  async statusesOf(campaignId: number, numbers: readonly string[]): Promise<Map<string, ContactStatus>> {
    const found = await this.database.rows<{ to_number: string; status: ContactStatus }>(STATUSES_OF, [
      campaignId,
      numbers,
    ]);
    return new Map(found.map(({ to_number: number, status }) => [number, status]));
  }

  async find(accountId: number, campaignId: number, id: string): Promise<ContactRow | undefined> {
    const [row] = await this.database.rows<ContactRow & Record<string, unknown>>(FIND, [accountId, campaignId, id]);
    return row;
  }

  async lock(accountId: number, campaignId: number, id: string, tx: Sql): Promise<ContactRow | undefined> {
    const values = [accountId, campaignId, id];
    const [row] = await this.database.rows<ContactRow & Record<string, unknown>>(LOCK, values, tx);
    return row;
  }

  async remove(id: string, tx: Sql): Promise<ContactRow> {
    const [row] = await this.database.rows<ContactRow & Record<string, unknown>>(REMOVE, [id], tx);
    if (!row) throw new Error('A locked contact is gone.');
    return row;
  }

  /** Contacts quote the analysis of their last call; `callId`: forgets that of this call only. */
  async forgetAnalyses(ids: readonly string[], callId: string | null, tx: Sql): Promise<void> {
    await this.database.rows(FORGET_ANALYSES, [ids, callId], tx);
  }

  /** The unique index of each campaign's numbers serves it, one look-up per campaign. */
  ofNumber(accountId: number, toNumber: string, limit: number): Promise<(ContactRow & CampaignOfContact)[]> {
    return this.database.rows<ContactRow & CampaignOfContact & Record<string, unknown>>(OF_NUMBER, [
      accountId,
      toNumber,
      limit,
    ]);
  }

  /** A page in the order of the import. */
  async page(
    campaignId: number,
    condition: ContactCondition,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<ContactRow[]> {
    const where = new ContactWhere(campaignId, condition);
    const ids = `SELECT id FROM campaign_contacts WHERE ${where.sql} ORDER BY id LIMIT $${where.next(1)} OFFSET $${where.next(2)}`;
    // As an array: the planner expects many ids of a subquery, and would scan the table for them.
    const text = `SELECT ${COLUMNS} FROM campaign_contacts WHERE id = ANY (ARRAY(${ids})) ORDER BY id`;
    return this.listed(where.query('page', text, [perPage, (page - 1) * perPage]));
  }

  /** The contacts beside a cursor (without one: the first) in the order of the import, or against it for `newer`. */
  slice(
    campaignId: number,
    condition: ContactCondition,
    { cursor, limit }: { cursor?: ListCursor; limit: number },
  ): Promise<ContactRow[]> {
    const where = new ContactWhere(campaignId, condition);
    const isBack = cursor?.direction === 'newer';
    const beside = cursor ? `AND id ${isBack ? '<' : '>'} $${where.next(2)}::uuid` : '';
    const text = `SELECT ${COLUMNS} FROM campaign_contacts WHERE ${where.sql} ${beside}
      ORDER BY id ${isBack ? 'DESC' : 'ASC'} LIMIT $${where.next(1)}`;
    const use = cursor ? `slice-${cursor.direction}` : 'slice';
    return this.listed(where.query(use, text, cursor ? [limit, cursor.id] : [limit]));
  }

  /** More than 10,000 are not counted. */
  async count(campaignId: number, condition: ContactCondition): Promise<number> {
    const where = new ContactWhere(campaignId, condition);
    const text = `SELECT count(*)::integer AS contacts FROM (
      SELECT 1 FROM campaign_contacts WHERE ${where.sql} LIMIT ${MAX_COUNTED + 1}) AS capped`;
    const query = where.query('count', text, []);
    const [found] = await this.database.rows<{ contacts: number }>(query, query.values);
    return found?.contacts ?? 0;
  }

  private listed(query: Query): Promise<ContactRow[]> {
    return this.database.rows<ContactRow & Record<string, unknown>>(query, query.values);
  }
}

const beforeOf = ({ before_status: status, before_outcome: outcome, before_reason: reason }: AddedRow) =>
  status === null ? undefined : { status, outcome, reason };

/** The WHERE of a list of contacts; each combination is a prepared statement that an index serves. */
class ContactWhere {
  readonly sql: string;
  private readonly values: unknown[];
  private readonly shape: string;

  constructor(campaignId: number, { status, outcome, toNumber, reason, due }: ContactCondition) {
    const parts = ['campaign_id = $1'];
    const shapes: string[] = [];
    this.values = [campaignId];
    const add = (shape: string, part: (place: string) => string, value: unknown): void => {
      if (value === undefined) return;
      parts.push(part(`$${this.values.push(value)}`));
      shapes.push(shape);
    };
    add('status', (value) => `status = ${value}`, status);
    add('outcome', (value) => `outcome = ${value}`, outcome);
    add('number', (value) => `to_number = ${value}`, toNumber);
    add('reason', (value) => `reason = ${value} AND (status <> 'waiting' OR due_at > now())`, reason);
    // A literal, so that the partial index of due contacts serves it.
    if (due) parts.push(`status = 'waiting' AND due_at <= now()`);
    this.shape = [...shapes, ...(due ? ['due'] : [])].join('-');
    this.sql = parts.join(' AND ');
  }

  /** The number of the placeholder `offset` after those of the conditions. */
  next(offset: number): number {
    return this.values.length + offset;
  }

  query(use: string, text: string, values: unknown[]): Query {
    return { name: `campaign-contacts-${use}-${this.shape}`, text, values: [...this.values, ...values] };
  }
}
