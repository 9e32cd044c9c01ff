import { TRUNK_LEG_COUNT } from '@app/accounts';
import type { ContactLimits } from '@app/calls';
import type { AnalysisResult } from '@app/call-analysis';
import { Database, type EntityTransaction, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignEntity } from './campaign.entity.js';
import type { ContactRow } from './campaign-contacts.repository.js';
import type { ContactAnalysis, ContactOutcome, ContactStatus, StoredReason } from './domain/campaign.js';
import type { EndedCall } from './domain/contact-outcome.js';
import type { CallRoom, PoolNumber } from './domain/release-plan.js';

/** A contact that the runner may call. */
export type DueContact = Pick<
  ContactRow,
  'id' | 'to_number' | 'time_zone' | 'metadata' | 'variables' | 'attempts' | 'outcome' | 'reason' | 'status'
>;

/** A contact whose attempt is over, or whose call waits for a later time. */
export interface SettledContact {
  id: string;
  attempts: number;
  outcome: ContactOutcome | null;
  hangup_cause: string | null;
  call_id: string;
  /** null: the call was deleted. */
  call: (EndedCall & { cost_micros: string | null }) | null;
}

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

const SERIALISE_ACCOUNT = { name: 'campaign-room-lock', text: 'SELECT pg_advisory_xact_lock(7216047, $1)' };

/** Calls that wait for their time occupy nothing. Each part has a partial index; the queue is counted up to what the account may have. */
const ROOM = {
  name: 'campaign-room',
  text: `SELECT a.concurrent_calls AS "limit", a.contact_attempts_per_day, a.contact_attempts_per_week, a.contact_earliest, a.contact_latest,
      a.contact_time_zone,
      (SELECT count(*)::integer FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL) AS live,
      (SELECT count(*)::integer FROM (SELECT 1 FROM calls c WHERE c.account_id = a.id AND c.status = 'pending' AND c.owner IS NULL
          AND c.due_at IS NULL LIMIT a.concurrent_calls) AS queue) AS queued,
      (SELECT t.concurrent_calls - ${TRUNK_LEG_COUNT} - (SELECT count(*)::integer FROM (
            SELECT c.trunk_id FROM calls c WHERE c.account_id = a.id AND c.status = 'pending' AND c.owner IS NULL
              AND c.due_at IS NULL LIMIT a.concurrent_calls) AS queue WHERE queue.trunk_id = t.id)
         FROM sip_trunks t WHERE t.account_id = a.id AND t.id = $2::integer) AS "trunkFree",
      (SELECT count(*)::integer FROM campaigns p WHERE p.account_id = a.id AND p.has_work AND p.status = 'running') AS campaigns
    FROM accounts a WHERE a.id = $1`,
};

const NUMBERS = {
  name: 'campaign-numbers',
  text: `SELECT id, e164 FROM phone_numbers WHERE account_id = $1 AND id = ANY ($2::integer[]) AND active
    ORDER BY array_position($2::integer[], id)`,
};

/** By the index of due contacts: the cost does not depend on their number. An import may hold some of them. */
const DUE = {
  name: 'due-campaign-contacts',
  text: `SELECT id, to_number, time_zone, metadata, variables, attempts, outcome, reason, status FROM campaign_contacts
    WHERE campaign_id = $1 AND status = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED`,
};

/**
 * As many contacts are being called as calls may run, and each is looked up by its key. `$3`: minutes that a contact waits for the analysis
 * of its call; null: the campaign does not ask for it.
 */
const SETTLED = {
  name: 'settled-campaign-contacts',
  text: `SELECT c.id, c.attempts, c.outcome, c.hangup_cause, c.call_id, k.status, k.started_at, k.answered_at, k.answered_by,
      k.ended_at, k.hangup_cause AS cause, k.cost_micros, x.version AS analysis_version, x.result AS analysis_result
    FROM campaign_contacts c LEFT JOIN calls k ON k.id = c.call_id
      LEFT JOIN LATERAL (SELECT version, status, result FROM call_analyses n WHERE $3::integer IS NOT NULL AND n.call_id = k.id
        ORDER BY n.version DESC LIMIT 1) x ON true
    WHERE c.campaign_id = $1 AND c.status = 'calling' AND (k.id IS NULL OR k.ended_at IS NOT NULL)
      AND NOT (x.status IS NOT NULL AND x.status IN ('pending', 'running') AND k.ended_at > now() - $3 * interval '1 minute') LIMIT $2`,
};

const QUEUED = {
  name: 'queued-campaign-calls',
  text: `SELECT c.call_id FROM campaign_contacts c JOIN calls k ON k.id = c.call_id
    WHERE c.campaign_id = $1 AND c.status = 'calling' AND k.status = 'pending' AND k.owner IS NULL
      AND ($2 OR k.due_at IS NOT NULL) LIMIT $3`,
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

  /** The room for calls and the contact limits of the account. Until the end of the transaction no other campaign of the account counts the same room. */
  async room({ accountId, trunkId }: CampaignEntity, tx: Sql): Promise<(CallRoom & ContactLimits) | undefined> {
    await this.database.rows(SERIALISE_ACCOUNT, [accountId], tx);
    const [room] = await this.database.rows<CallRoom & ContactLimits & Record<string, unknown>>(
      ROOM,
      [accountId, trunkId],
      tx,
    );
    return room;
  }

  numbers({ accountId, numberIds }: CampaignEntity, tx: Sql): Promise<PoolNumber[]> {
    return this.database.rows<PoolNumber & Record<string, unknown>>(NUMBERS, [accountId, numberIds], tx);
  }

  lockDue(campaignId: number, now: Date, limit: number, tx: Sql): Promise<DueContact[]> {
    return this.database.rows<DueContact & Record<string, unknown>>(DUE, [campaignId, now, limit], tx);
  }

  async settled(
    campaignId: number,
    waitMinutes: number | undefined,
    limit: number,
    tx: Sql,
  ): Promise<SettledContact[]> {
    type Found = Omit<SettledContact, 'call'> & { [K in Exclude<keyof EndedCall, 'analysis'>]: EndedCall[K] | null } & {
      cause: string | null;
      cost_micros: string | null;
      analysis_version: number | null;
      analysis_result: AnalysisResult | null;
    };
    const found = await this.database.rows<Found & Record<string, unknown>>(
      SETTLED,
      [campaignId, limit, waitMinutes ?? null],
      tx,
    );
    return found.map((row) => {
      const { id, attempts, outcome, hangup_cause, call_id, status, ended_at, cause, ...rest } = row;
      const { analysis_version: version, analysis_result: result, ...call } = rest;
      const ended = status !== null && ended_at !== null;
      const contact = { id, attempts, outcome, hangup_cause, call_id };
      const analysis = version !== null && result !== null ? { analysis: { version, result } } : {};
      return { ...contact, call: ended ? { ...call, status, ended_at, hangup_cause: cause, ...analysis } : null };
    });
  }

  /** Calls of the campaign that no dialer has claimed: all, or those that wait for a later time. */
  async queued(campaignId: number, which: 'all' | 'postponed', limit: number, tx: Sql): Promise<string[]> {
    const values = [campaignId, which === 'all', limit];
    return (await this.database.rows<{ call_id: string }>(QUEUED, values, tx)).map(({ call_id: id }) => id);
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
