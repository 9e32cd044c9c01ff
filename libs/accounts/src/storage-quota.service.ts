import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { storageProblem } from './domain/storage-quota.js';
import { type FullAccount, StorageQuotaRepository } from './storage-quota.repository.js';

/** The storage limit of accounts: recordings and files of knowledge bases. */
@Injectable()
export class StorageQuotaService {
  constructor(private readonly quotas: StorageQuotaRepository) {}

  /** An error message when a file of `bytes` would exceed the account's limit; concurrent files are not counted yet. */
  async problem(accountId: number, bytes: number): Promise<string | undefined> {
    const use = await this.quotas.use(accountId);
    return use && storageProblem(use, bytes);
  }

  /** `problem` as the last step of the transaction that inserted the row of the file: concurrent files never exceed the limit together. */
  async problemWithin(accountId: number, bytes: number, tx: Sql): Promise<string | undefined> {
    await this.quotas.holdCounter(tx);
    const use = await this.quotas.use(accountId, tx);
    return use && storageProblem({ ...use, used_bytes: String(Number(use.used_bytes) - bytes) }, bytes);
  }

  /** Accounts that use more than 90 % of their storage, the fullest first, 1,000 at most. */
  nearlyFull(): Promise<FullAccount[]> {
    return this.quotas.nearlyFull();
  }

  /**
   * For a sweep: adds up the files of accounts that were not counted in the last week, or never (files older than the counter). Throws
   * after the round when an account could not be counted.
   */
  async recount(): Promise<void> {
    const failures: unknown[] = [];
    for (const accountId of await this.quotas.uncounted()) {
      // The others are counted even if one account takes too long.
      await this.quotas.recount(accountId).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'The stored files of some accounts could not be counted.');
  }
}
