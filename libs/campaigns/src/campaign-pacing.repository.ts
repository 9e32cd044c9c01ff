import { TRUNK_LEG_COUNT } from '@app/accounts';
import type { AnalysisResult } from '@app/call-analysis';
import type { ContactLimits } from '@app/calls';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import type { ContactOutcome } from './domain/campaign.js';
import type { EndedCall } from './domain/contact-outcome.js';
import type { CallRoom } from './domain/release-plan.js';

/*
 * What the turns of a campaign read of calls: each turn is a transaction under the lock of the campaign, each second, and waits for every
 * round trip. Tables of others: calls (libs/calls), accounts and sip_trunks (libs/accounts), call_analyses (libs/call-analysis).
 */

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

/** How many calls a campaign may make, and which of its contacts and calls are to be settled. Prepared. */
@Injectable()
export class CampaignPacingRepository {
  constructor(private readonly database: Database) {}

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
}
