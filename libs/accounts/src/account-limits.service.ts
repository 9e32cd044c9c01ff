import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DailySpendRepository } from './daily-spend.repository.js';
import type { DailySpend } from './domain/account-limits.js';
import { type FullAccount, heldStorageProblem, StorageQuotaRepository } from './storage-quota.repository.js';

/** The storage limit of accounts: recordings and files of knowledge bases. */
@Injectable()
export class StorageQuotaService {
  constructor(private readonly quotas: StorageQuotaRepository) {}

  /** A sentence when a file of `bytes` would exceed the account's limit; concurrent files are not counted yet. */
  problem(accountId: number, bytes: number): Promise<string | undefined> {
    return this.quotas.problem(accountId, bytes);
  }

  /**
   * The same as the last step of the transaction that has inserted the row of the file: concurrent files together never exceed the
   * limit.
   */
  problemWithin(accountId: number, bytes: number, tx: PoolClient): Promise<string | undefined> {
    return heldStorageProblem(tx, accountId, bytes);
  }

  /** Accounts that use more than 90 % of their storage, the fullest first, 1,000 at most. */
  nearlyFull(): Promise<FullAccount[]> {
    return this.quotas.nearlyFull();
  }

  /**
   * For a sweep: adds up the files of accounts that were not counted for a week, or never (files older than the counter). Throws
   * after the round when an account could not be counted.
   */
  async recount(): Promise<void> {
    const failures: unknown[] = [];
    for (const accountId of await this.quotas.uncounted()) {
      // An account that takes too long must not keep the others from being counted.
      await this.quotas.recount(accountId).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'The storage of some accounts could not be counted.');
  }
}

/** The daily spend of accounts. */
@Injectable()
export class DailySpendService {
  constructor(private readonly spend: DailySpendRepository) {}

  /** undefined: there is no such account. */
  read(accountId: number): Promise<DailySpend | undefined> {
    return this.spend.read(accountId);
  }

  /** Counts costs that are not part of a call; the end of a call counts its own. */
  add(accountId: number, micros: number): Promise<void> {
    return this.spend.add(accountId, micros);
  }
}
