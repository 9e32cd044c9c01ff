import { Database, type EntityTransaction, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignEntity } from './campaign.entity.js';
import type { ContactRow } from './campaign-contacts.repository.js';
import type { ContactAnalysis, ContactOutcome, ContactStatus, StoredReason } from './domain/campaign.js';

/** A contact that the runner may call. */
export type DueContact = Pick<
  ContactRow,
  'id' | 'to_number' | 'time_zone' | 'metadata' | 'variables' | 'attempts' | 'outcome' | 'reason' | 'status'
>;

/** The new columns of a contact. */
export interface ContactChange {
  id: string;
  status: ContactStatus;
  outcome: ContactOutcome | null;
  hangupCause: string | null;
  reason: StoredReason | null;
  /** null: at once. */
  dueAt: Date | null;
  attempts: number;
  /** undefined: the same call. */
  callId?: string;
  at?: Date;
  /** undefined: unchanged. */
  analysis?: ContactAnalysis | null;
}

interface ClosedGroup {
  outcome: ContactOutcome | null;
  reason: StoredReason | null;
  contacts: number;
}

const IMPORTING = {
  name: 'campaign-imports-of-run',
  text: `SELECT 1 FROM campaign_imports WHERE campaign_id = $1 AND status IN ('pending', 'processing') LIMIT 1`,
};

const WITH_WORK = { name: 'campaigns-with-work', text: 'SELECT id FROM campaigns WHERE has_work' };

const STORE = {
  name: 'store-campaign-run',
  text: `UPDATE campaigns SET status = $2, pause_reason = $3, ended_at = $4, attempts = $5, next_call_at = $6, recent_results = $7,
      cost_micros = $8, has_work = $9, windows_changed = $10, webhook_seq = $11 WHERE id = $1`,
};

/** By the index of due contacts: the cost does not depend on their number. An import may hold some of them. */
const DUE = {
  name: 'due-campaign-contacts',
  text: `SELECT id, to_number, time_zone, metadata, variables, attempts, outcome, reason, status FROM campaign_contacts
    WHERE campaign_id = $1 AND status = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED`,
};

const CHANGE = {
  name: 'change-campaign-contacts',
  text: `UPDATE campaign_contacts c SET status = u.status, outcome = u.outcome, hangup_cause = u.hangup_cause, reason = u.reason,
      due_at = coalesce(u.due_at, '1970-01-01 00:00:00+00'), attempts = u.attempts, call_id = coalesce(u.call_id, c.call_id),
      last_attempt_at = coalesce(u.at, c.last_attempt_at),
      analysis = CASE WHEN u.analysed THEN u.analysis::jsonb ELSE c.analysis END
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::integer[], $8::uuid[],
        $9::timestamptz[], $10::boolean[], $11::text[])
      AS u (id, status, outcome, hangup_cause, reason, due_at, attempts, call_id, at, analysed, analysis)
    WHERE c.id = u.id`,
};

/** In the order of an index, which the planner would otherwise leave for a scan of the whole table, as in REOPEN. */
const CLOSE = {
  name: 'close-campaign-contacts',
  text: `WITH found AS MATERIALIZED (
      SELECT id, outcome, reason FROM campaign_contacts WHERE campaign_id = $1 AND status = 'waiting'
        ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED),
    closed AS (
      UPDATE campaign_contacts c SET status = 'cancelled', reason = $2 FROM found WHERE c.id = found.id)
    SELECT outcome, reason, count(*)::integer AS contacts FROM found GROUP BY outcome, reason`,
};

const REOPEN = {
  name: 'reopen-campaign-contacts',
  text: `WITH found AS MATERIALIZED (
      SELECT id, outcome, reason FROM campaign_contacts WHERE campaign_id = $1 AND reason = 'waiting_for_window'
        ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED),
    reopened AS (
      UPDATE campaign_contacts c SET reason = NULL, due_at = '1970-01-01 00:00:00+00' FROM found WHERE c.id = found.id)
    SELECT outcome, reason, count(*)::integer AS contacts FROM found GROUP BY outcome, reason`,
};

const LOCK_AGAINST_CONTACTS = {
  name: 'lock-campaign-against-contacts',
  text: 'SELECT 1 FROM campaigns WHERE id = $1 FOR UPDATE',
};

/** The statements of the campaign runner. Prepared: it runs them several times per second and campaign. */
@Injectable()
export class CampaignRunsRepository {
  constructor(private readonly database: Database) {}

  /** Whether a file is being imported into the campaign. */
  async isImporting(campaignId: number, tx: Sql): Promise<boolean> {
    return (await this.database.rows(IMPORTING, [campaignId], tx)).length > 0;
  }

  async withWork(): Promise<number[]> {
    return (await this.database.rows<{ id: number }>(WITH_WORK)).map(({ id }) => id);
  }

  /** Undefined: another worker runs the campaign, or it has no work. */
  async lock(id: number, tx: EntityTransaction): Promise<CampaignEntity | undefined> {
    const lock = { mode: 'for_no_key_update', onLocked: 'skip_locked' } as const;
    return (await tx.manager.findOne(CampaignEntity, { where: { id, hasWork: true }, lock })) ?? undefined;
  }

  /** Waits for transactions that add contacts, and keeps others from adding some. */
  async lockAgainstContacts(id: number, tx: Sql): Promise<void> {
    await this.database.rows(LOCK_AGAINST_CONTACTS, [id], tx);
  }

  async store(campaign: CampaignEntity, tx: Sql): Promise<void> {
    const { id, status, pauseReason, endedAt, attempts, nextCallAt, recentResults } = campaign;
    const first = [id, status, pauseReason, endedAt, attempts, nextCallAt, recentResults];
    const rest = [campaign.costMicros, campaign.hasWork, campaign.windowsChanged, campaign.webhookSeq];
    await this.database.rows(STORE, [...first, ...rest], tx);
  }

  lockDue(campaignId: number, now: Date, limit: number, tx: Sql): Promise<DueContact[]> {
    return this.database.rows<DueContact & Record<string, unknown>>(DUE, [campaignId, now, limit], tx);
  }

  async change(contacts: readonly ContactChange[], tx: Sql): Promise<void> {
    if (contacts.length === 0) return;
    const column = <K extends keyof ContactChange>(name: K): (ContactChange[K] | null)[] =>
      contacts.map((contact) => contact[name] ?? null);
    const first = [column('id'), column('status'), column('outcome'), column('hangupCause'), column('reason')];
    const isAnalysed = contacts.map(({ analysis }) => analysis !== undefined);
    const analyses = contacts.map(({ analysis }) => (analysis ? pgJson(analysis) : null));
    const rest = [column('dueAt'), column('attempts'), column('callId'), column('at'), isAnalysed, analyses];
    await this.database.rows(CHANGE, [...first, ...rest], tx);
  }

  /** Cancels waiting contacts. */
  close(campaignId: number, reason: StoredReason, limit: number, tx: Sql): Promise<ClosedGroup[]> {
    const values = [campaignId, reason, limit];
    return this.database.rows<ClosedGroup & Record<string, unknown>>(CLOSE, values, tx);
  }

  /** Contacts that wait for a window become due. */
  reopen(campaignId: number, limit: number, tx: Sql): Promise<ClosedGroup[]> {
    return this.database.rows<ClosedGroup & Record<string, unknown>>(REOPEN, [campaignId, limit], tx);
  }
}
