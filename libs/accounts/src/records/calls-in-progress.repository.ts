import { Database, type Sql } from '@app/database';
import type { ListenerAnnouncement } from '../account.entity.js';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';

/*
 * The statements of accounts, numbers, trunks and agents on tables of calls: `calls`, `daily_spend` and `dialers`. Calls are above them,
 * so no service of calls can be asked: a record is not deleted in the transaction that finds it in use, and an account is shown with its
 * usage in one round trip. All use the partial indexes of queued and live calls.
 */

/** SQL: the number of live legs on the trunk `t`, of calls and of transfers. */
export const TRUNK_LEG_COUNT = `((SELECT count(*)::int FROM calls c WHERE c.account_id = t.account_id AND c.trunk_id = t.id
      AND c.owner IS NOT NULL AND c.ended_at IS NULL)
    + (SELECT count(*)::int FROM calls c WHERE c.account_id = t.account_id AND c.transfer_trunk_id = t.id AND c.ended_at IS NULL))`;

const LIVE = 'owner IS NOT NULL AND ended_at IS NULL';
const QUEUED = `status = 'pending' AND owner IS NULL`;

const usesColumn = (column: 'number_id' | 'agent_id'): string =>
  `SELECT 1 WHERE EXISTS (SELECT FROM calls WHERE account_id = $1 AND ${QUEUED} AND ${column} = $2)
      OR EXISTS (SELECT FROM calls WHERE account_id = $1 AND ${LIVE} AND ${column} = $2)`;

const USES_NUMBER = { name: 'calls-use-number', text: usesColumn('number_id') };
const USES_AGENT = { name: 'calls-use-agent', text: usesColumn('agent_id') };
const USES_TRUNK = {
  name: 'calls-use-trunk',
  text: `SELECT 1 WHERE EXISTS (SELECT FROM calls WHERE account_id = $1 AND ${QUEUED} AND trunk_id = $2)
      OR EXISTS (SELECT FROM sip_trunks t WHERE t.account_id = $1 AND t.id = $2 AND ${TRUNK_LEG_COUNT} > 0)`,
};

const VERSIONS_IN_USE = {
  name: 'agent-versions-of-calls',
  text: `SELECT agent_version AS version FROM calls WHERE account_id = $1 AND agent_id = $2 AND ${LIVE}
      UNION SELECT agent_version FROM calls WHERE account_id = $1 AND agent_id = $2 AND ${QUEUED}`,
};

const DIALER_RUNS = {
  name: 'dialer-runs',
  text: 'SELECT 1 FROM dialers WHERE dead_at IS NULL AND lease_until > now() LIMIT 1',
};

/** An account with its usage. bigint columns are text. */
export interface AccountRow extends Record<string, unknown> {
  id: number;
  name: string;
  default_country: string | null;
  concurrent_calls: number;
  calls_per_second: number;
  queued_calls: number;
  requests_per_minute: number | null;
  daily_spend_micros: string | null;
  storage_bytes: string | null;
  destinations_allow: string[];
  destinations_deny: string[];
  contact_attempts_per_day: number | null;
  contact_attempts_per_week: number | null;
  contact_earliest: string | null;
  contact_latest: string | null;
  contact_time_zone: string | null;
  recordings_days: number | null;
  transcripts_days: number | null;
  deliveries_days: number | null;
  documents_days: number | null;
  redaction: Redaction | null;
  announce_listeners: ListenerAnnouncement | null;
  created_at: Date;
  updated_at: Date;
  spent_micros: string;
  resets_at: Date;
  used_bytes: string;
  queue_length: number;
  scheduled_calls: number;
  live_calls: number;
  has_sign_in: boolean;
}

// Queued and scheduled calls are at most queued_calls.
const ACCOUNT_WITH_USAGE = {
  name: 'account-with-usage',
  text: `SELECT a.*, coalesce(s.micros, 0) AS spent_micros, greatest(coalesce(u.bytes, 0), 0) AS used_bytes,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      q.queue_length, q.scheduled_calls, EXISTS (SELECT FROM sign_in_settings i WHERE i.account_id = a.id) AS has_sign_in,
      (SELECT count(*)::integer FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL) AS live_calls
    FROM accounts a LEFT JOIN account_storage u ON u.account_id = a.id
      LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE c.due_at IS NULL)::integer AS queue_length, count(c.due_at)::integer AS scheduled_calls
          FROM calls c WHERE c.account_id = a.id AND c.status = 'pending' AND c.owner IS NULL) q
    WHERE a.id = $1`,
};

/** What queued and live calls use. */
@Injectable()
export class CallsInProgressRepository {
  constructor(private readonly database: Database) {}

  useNumber(accountId: number, id: number, tx: Sql): Promise<boolean> {
    return this.any(USES_NUMBER, [accountId, id], tx);
  }

  useTrunk(accountId: number, id: number, tx: Sql): Promise<boolean> {
    return this.any(USES_TRUNK, [accountId, id], tx);
  }

  useAgent(accountId: number, id: number, tx: Sql): Promise<boolean> {
    return this.any(USES_AGENT, [accountId, id], tx);
  }

  /** The versions of an agent that queued and live calls have. */
  async agentVersions(accountId: number, agentId: number, tx: Sql): Promise<number[]> {
    const found = await this.database.rows<{ version: number | null }>(VERSIONS_IN_USE, [accountId, agentId], tx);
    return found.flatMap(({ version }) => version ?? []);
  }

  /** Whether a dialer is alive. */
  haveDialer(): Promise<boolean> {
    return this.any(DIALER_RUNS, []);
  }

  async accountWithUsage(accountId: number, tx?: Sql): Promise<AccountRow> {
    const [found] = await this.database.rows<AccountRow>(ACCOUNT_WITH_USAGE, [accountId], tx);
    if (!found) throw new Error('The account of a valid token does not exist.');
    return found;
  }

  private async any(statement: { name: string; text: string }, values: unknown[], tx?: Sql): Promise<boolean> {
    return (await this.database.rows(statement, values, tx)).length > 0;
  }
}
