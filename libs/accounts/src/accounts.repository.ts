import { Database, type EntityTransaction, type Sql } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, Raw } from 'typeorm';
import { AccountEntity } from './account.entity.js';
import { OperatorNoticeEntity } from './operator-notice.entity.js';

/** Records of an account that a first call needs; null where it has none. */
export interface FirstCallRecords {
  agent_id: number | null;
  number_id: number | null;
  trunk_id: number | null;
  /** Reaches an agent when it is called from this machine. */
  answered_number: string | null;
}

// One statement over three tables.
const FIRST_CALL = {
  name: 'first-call-records',
  text: `SELECT
    (SELECT id FROM agents WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS agent_id,
    (SELECT id FROM phone_numbers WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS number_id,
    (SELECT id FROM sip_trunks WHERE account_id = $1 AND active ORDER BY id LIMIT 1) AS trunk_id,
    (SELECT e164 FROM phone_numbers WHERE account_id = $1 AND active AND agent_id IS NOT NULL AND EXISTS (
        SELECT FROM sip_trunks WHERE account_id = $1 AND active AND inbound_enabled AND '127.0.0.1' = ANY (inbound_addresses))
      ORDER BY id LIMIT 1) AS answered_number`,
};

/** An account with its usage. bigint columns are text. */
export interface AccountRow extends Record<string, unknown> {
  id: number;
  name: string;
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
  created_at: Date;
  updated_at: Date;
  spent_micros: string;
  resets_at: Date;
  used_bytes: string;
  queue_length: number;
  scheduled_calls: number;
  live_calls: number;
}

// Queued and scheduled calls are at most queued_calls; the counts use partial indexes.
const WITH_USAGE = {
  name: 'account-with-usage',
  text: `SELECT a.*, coalesce(s.micros, 0) AS spent_micros, greatest(coalesce(u.bytes, 0), 0) AS used_bytes,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      q.queue_length, q.scheduled_calls,
      (SELECT count(*)::integer FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL) AS live_calls
    FROM accounts a LEFT JOIN account_storage u ON u.account_id = a.id
      LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE c.due_at IS NULL)::integer AS queue_length, count(c.due_at)::integer AS scheduled_calls
          FROM calls c WHERE c.account_id = a.id AND c.status = 'pending' AND c.owner IS NULL) q
    WHERE a.id = $1`,
};

@Injectable()
export class AccountsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
  ) {}

  async idByName(name: string): Promise<number | undefined> {
    return (await this.accounts.findOne({ where: { name }, select: { id: true } }))?.id;
  }

  /** The first names in alphabetical order. */
  async names(limit: number): Promise<string[]> {
    const found = await this.accounts.find({ select: { name: true }, order: { name: 'ASC' }, take: limit });
    return found.map(({ name }) => name);
  }

  any(): Promise<boolean> {
    return this.accounts.exists();
  }

  async withUsage(accountId: number, tx?: Sql): Promise<AccountRow> {
    const [found] = await this.database.rows<AccountRow>(WITH_USAGE, [accountId], tx);
    if (!found) throw new Error('The account of a valid token does not exist.');
    return found;
  }

  /** Accounts by name, for a workspace file: one, or 1,000 at most. */
  entities(name: string | undefined, tx: EntityTransaction): Promise<AccountEntity[]> {
    return tx.manager.find(AccountEntity, {
      where: name === undefined ? {} : { name },
      order: { name: 'ASC' },
      take: 1_000,
    });
  }

  async firstCallRecords(accountId: number): Promise<FirstCallRecords> {
    const [found] = await this.database.rows<FirstCallRecords & Record<string, unknown>>(FIRST_CALL, [accountId]);
    if (!found) throw new Error('The records of the account were not read.');
    return found;
  }
}

@Injectable()
export class OperatorNoticesRepository {
  constructor(@InjectRepository(OperatorNoticeEntity) private readonly notices: Repository<OperatorNoticeEntity>) {}

  async note(name: string): Promise<void> {
    await this.notices.upsert({ name, noticedAt: () => 'now()' }, ['name']);
  }

  /** Of the last day. */
  async recent(): Promise<string[]> {
    const noticedAt = Raw((column) => `${column} > now() - interval '1 day'`);
    return (await this.notices.findBy({ noticedAt })).map(({ name }) => name);
  }
}
