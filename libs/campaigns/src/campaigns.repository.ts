import { Database, entityPage, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CampaignEntity } from './campaign.entity.js';
import type { CampaignStatus } from './domain/campaign.js';

interface CampaignState extends Pick<CampaignEntity, 'status' | 'pauseReason' | 'attempts' | 'costMicros'> {
  /** By the keys of `campaign_progress`. */
  counts: Record<string, number>;
  /** Of the contacts that are being called. */
  callIds: string[];
  /** When the next waiting contact is due, not before the present; null: none waits. */
  nextAt: Date | null;
}

const LOCK_ROOM = { name: 'lock-campaigns', text: 'SELECT pg_advisory_xact_lock(7216050, $1)' };

/** One import at a time: otherwise a number that another one adds at this moment would be counted twice. */
const SERIALISE_CONTACTS = {
  name: 'serialise-campaign-contacts',
  text: 'SELECT pg_advisory_xact_lock(7216048, $1)',
};

/** Waits for the runner only when it completes the campaign. */
const LOCK_FOR_CONTACTS = {
  name: 'lock-campaign-for-contacts',
  text: 'SELECT status FROM campaigns WHERE id = $1 FOR KEY SHARE',
};

/** Contacts of one statement. */
const DELETE_CONTACTS = {
  name: 'delete-campaign-contacts',
  text: `WITH found AS (SELECT id FROM campaign_contacts WHERE campaign_id = $1 LIMIT 5000),
    deleted AS (DELETE FROM campaign_contacts c USING found WHERE c.id = found.id RETURNING 1)
    SELECT count(*)::integer AS contacts FROM deleted`,
};

const COUNTS = { name: 'campaign-counts', text: 'SELECT key, contacts FROM campaign_progress WHERE campaign_id = $1' };

/** One snapshot: a turn of the runner changes the campaign, its contacts and its counters together. Each part uses one index. */
const STATE = {
  name: 'campaign-state',
  text: `SELECT status, pause_reason AS "pauseReason", attempts, cost_micros AS "costMicros", (
      SELECT coalesce(jsonb_object_agg(key, contacts), '{}') FROM campaign_progress WHERE campaign_id = p.id) AS counts, (
      SELECT coalesce(array_agg(call_id), '{}') FROM campaign_contacts
        WHERE campaign_id = p.id AND status = 'calling' AND call_id IS NOT NULL) AS "callIds", (
      SELECT greatest(due_at, now()) FROM campaign_contacts
        WHERE campaign_id = p.id AND status = 'waiting' ORDER BY due_at LIMIT 1) AS "nextAt"
    FROM campaigns p
    WHERE id = $1`,
};

/** The keys are locked in their order, at the end of each transaction: two transactions never wait for each other in a circle. */
const ADD_COUNTS = {
  name: 'add-campaign-counts',
  text: `INSERT INTO campaign_progress (campaign_id, key, contacts)
      SELECT $1, key, contacts FROM unnest($2::text[], $3::bigint[]) AS d (key, contacts) ORDER BY key
    ON CONFLICT (campaign_id, key) DO UPDATE SET contacts = campaign_progress.contacts + excluded.contacts`,
};

/** The statements on `campaigns` and `campaign_progress` that requests need. */
@Injectable()
export class CampaignsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(CampaignEntity) private readonly campaigns: Repository<CampaignEntity>,
  ) {}

  /** Newest first. */
  page(
    accountId: number,
    status: CampaignStatus | undefined,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[CampaignEntity[], number]> {
    const where = status ? { accountId, status } : { accountId };
    const query = this.campaigns.createQueryBuilder('campaign').where(where).orderBy('campaign.id', 'DESC');
    return entityPage(query, { limit: perPage, offset: (page - 1) * perPage });
  }

  find(accountId: number, id: number, tx?: EntityTransaction): Promise<CampaignEntity | null> {
    const campaigns = tx ? tx.manager.getRepository(CampaignEntity) : this.campaigns;
    return campaigns.findOneBy({ accountId, id });
  }

  findByName(accountId: number, name: string): Promise<CampaignEntity | null> {
    return this.campaigns.findOneBy({ accountId, name });
  }

  /** Waits for the runner, which holds the lock for milliseconds. Contacts may be added meanwhile. */
  lock(accountId: number, id: number, tx: EntityTransaction): Promise<CampaignEntity | null> {
    const where = { accountId, id };
    return tx.manager.findOne(CampaignEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  isNameTaken(accountId: number, name: string, tx: EntityTransaction): Promise<boolean> {
    return tx.manager.existsBy(CampaignEntity, { accountId, name });
  }

  /** Serialises creations and renamings, so that the second of two concurrent ones sees the first. */
  async countLocked(accountId: number, tx: EntityTransaction): Promise<number> {
    await this.database.rows(LOCK_ROOM, [accountId], tx);
    return tx.manager.countBy(CampaignEntity, { accountId });
  }

  save(campaign: CampaignEntity, tx: EntityTransaction): Promise<CampaignEntity> {
    return tx.manager.save(CampaignEntity, campaign);
  }

  async delete(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(CampaignEntity, id);
  }

  /** Some thousand. Returns how many were deleted. */
  async deleteContacts(campaignId: number): Promise<number> {
    const [deleted] = await this.database.rows<{ contacts: number }>(DELETE_CONTACTS, [campaignId]);
    return deleted?.contacts ?? 0;
  }

  /** Until the end of the transaction the runner does not complete the campaign. Undefined: it was deleted. */
  async lockForContacts(campaignId: number, tx: Sql): Promise<CampaignStatus | undefined> {
    await this.database.rows(SERIALISE_CONTACTS, [campaignId], tx);
    const [found] = await this.database.rows<{ status: CampaignStatus }>(LOCK_FOR_CONTACTS, [campaignId], tx);
    return found?.status;
  }

  /** By the keys of `campaign_progress`. */
  async counts(campaignId: number, tx?: Sql): Promise<Record<string, number>> {
    const found = await this.database.rows<{ key: string; contacts: string }>(COUNTS, [campaignId], tx);
    return Object.fromEntries(found.map(({ key, contacts }) => [key, Number(contacts)]));
  }

  /** The state of a campaign with the counters of its contacts. Undefined: it was deleted. */
  async state(campaignId: number, tx: Sql): Promise<CampaignState | undefined> {
    const [state] = await this.database.rows<CampaignState & Record<string, unknown>>(STATE, [campaignId], tx);
    return state;
  }

  /** The last statement of a transaction that changes contacts. */
  async addCounts(campaignId: number, changes: ReadonlyMap<string, number>, tx: Sql): Promise<void> {
    const changed = [...changes].filter(([, contacts]) => contacts !== 0);
    if (changed.length === 0) return;
    const values = [campaignId, changed.map(([key]) => key), changed.map(([, contacts]) => contacts)];
    await this.database.rows(ADD_COUNTS, values, tx);
  }
}
