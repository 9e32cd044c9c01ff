import { Database, type Sql } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Not, Repository } from 'typeorm';
import { AccountEntity } from './account.entity.js';

/** Data that accounts may keep for a limited time. */
export type RetainedKind = 'recordings' | 'transcripts' | 'deliveries' | 'documents';

/** How many days an account keeps data of a kind. */
export interface RetentionPeriod {
  accountId: number;
  days: number;
}

type ContactLimits = Pick<AccountEntity, 'contactAttemptsPerDay' | 'contactAttemptsPerWeek'> &
  Pick<AccountEntity, 'contactEarliest' | 'contactLatest' | 'contactTimeZone'>;

const CONTACT_LIMITS = {
  id: true,
  contactAttemptsPerDay: true,
  contactAttemptsPerWeek: true,
  contactEarliest: true,
  contactLatest: true,
  contactTimeZone: true,
} as const;

/** Prepared: read before every simulation. */
const DAILY_SPEND = {
  name: 'daily-spend-limit',
  text: 'SELECT daily_spend_micros FROM accounts WHERE id = $1',
};

/** Prepared: each call whose cost is limited takes the lock before it is dialled. */
const LOCK_DAILY_SPEND = { name: 'spend-lock', text: `${DAILY_SPEND.text} FOR NO KEY UPDATE` };

const REDACTION = { name: 'account-redaction', text: 'SELECT redaction FROM accounts WHERE id = $1' };

/** The limits that other features apply. */
@Injectable()
export class AccountLimitsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
  ) {}

  /** The ids after `id`, in their order. */
  async idsAfter(id: number, limit: number): Promise<number[]> {
    const where = { id: MoreThan(id) };
    const found = await this.accounts.find({ where, select: { id: true }, order: { id: 'ASC' }, take: limit });
    return found.map((account) => account.id);
  }

  /** Of phone numbers without a country code; null: none. */
  async defaultCountry(id: number): Promise<string | null> {
    const found = await this.accounts.findOne({ where: { id }, select: { id: true, defaultCountry: true } });
    return found?.defaultCountry ?? null;
  }

  /** Null if the account does not exist. */
  contacts(id: number): Promise<ContactLimits | null> {
    return this.accounts.findOne({ where: { id }, select: CONTACT_LIMITS });
  }

  async redaction(id: number, tx: Sql): Promise<Redaction | null> {
    const [account] = await this.database.rows<{ redaction: Redaction | null }>(REDACTION, [id], tx);
    return account?.redaction ?? null;
  }

  /** In micro-USD. Null without a limit, undefined if the account does not exist. */
  dailySpend(id: number): Promise<string | null | undefined> {
    return this.micros(DAILY_SPEND, id);
  }

  /** Locks the account. */
  lockDailySpend(id: number, tx: Sql): Promise<string | null | undefined> {
    return this.micros(LOCK_DAILY_SPEND, id, tx);
  }

  /** Of the accounts that limit the time. */
  async retentionPeriods(kind: RetainedKind): Promise<RetentionPeriod[]> {
    const column = `${kind}Days` as const;
    const found = await this.accounts.find({
      select: { id: true, [column]: true },
      where: { [column]: Not(IsNull()) },
    });
    return found.flatMap(({ id, [column]: days }) => (days === null ? [] : [{ accountId: id, days }]));
  }

  private async micros(statement: typeof DAILY_SPEND, id: number, tx?: Sql): Promise<string | null | undefined> {
    const [account] = await this.database.rows<{ daily_spend_micros: string | null }>(statement, [id], tx);
    return account?.daily_spend_micros;
  }
}
