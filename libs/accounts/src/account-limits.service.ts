import type { Sql } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { AccountLimitsRepository, type RetainedKind, type RetentionPeriod } from './account-limits.repository.js';

/** Limits of the calls to one number; null: no limit. */
interface AccountContactLimits {
  contact_attempts_per_day: number | null;
  contact_attempts_per_week: number | null;
  contact_earliest: string | null;
  contact_latest: string | null;
  contact_time_zone: string | null;
}

const PAGE = 100;

/** The accounts, and the settings of them that other features apply. */
@Injectable()
export class AccountLimitsService {
  constructor(private readonly limits: AccountLimitsRepository) {}

  /** The ids of all accounts, in their order. */
  async *ids(): AsyncGenerator<number> {
    for (let page = await this.limits.idsAfter(0, PAGE); page.length > 0;) {
      yield* page;
      page = await this.limits.idsAfter(page.at(-1)!, PAGE);
    }
  }

  /** Country of phone numbers without a country code, ISO 3166-1 alpha-2; null: none. */
  defaultCountry(accountId: number): Promise<string | null> {
    return this.limits.defaultCountry(accountId);
  }

  /** Throws if the account does not exist. */
  async contacts(accountId: number): Promise<AccountContactLimits> {
    const found = await this.limits.contacts(accountId);
    if (!found) throw new Error('The account of a valid token does not exist.');
    return {
      contact_attempts_per_day: found.contactAttemptsPerDay,
      contact_attempts_per_week: found.contactAttemptsPerWeek,
      contact_earliest: found.contactEarliest,
      contact_latest: found.contactLatest,
      contact_time_zone: found.contactTimeZone,
    };
  }

  /** Of all calls of the account; null: nothing is redacted. */
  redaction(accountId: number, tx: Sql): Promise<Redaction | null> {
    return this.limits.redaction(accountId, tx);
  }

  /** In micro-USD, as PostgreSQL's bigint. Null without a limit, undefined if the account does not exist. */
  dailySpend(accountId: number): Promise<string | null | undefined> {
    return this.limits.dailySpend(accountId);
  }

  /** The daily limit in micro-USD; null: no limit. Until the end of the transaction no other one gets it. */
  async lockDailySpend(accountId: number, tx: Sql): Promise<number | null> {
    const micros = (await this.limits.lockDailySpend(accountId, tx)) ?? null;
    return micros === null ? null : Number(micros);
  }

  /** How long the accounts that limit it keep data of a kind. */
  retentionPeriods(kind: RetainedKind): Promise<RetentionPeriod[]> {
    return this.limits.retentionPeriods(kind);
  }
}
