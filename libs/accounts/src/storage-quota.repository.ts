import { Database, rows, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { storageProblem, type StorageUse } from './domain/account-limits.js';

// Prepared: read at the end of every recorded call and for every upload.
const READ = {
  name: 'storage-use',
  text: `SELECT a.storage_bytes, coalesce(s.bytes, 0) AS used_bytes
    FROM accounts a LEFT JOIN account_storage s ON s.account_id = a.id WHERE a.id = $1`,
};

export interface FullAccount {
  name: string;
  used_bytes: string;
  storage_bytes: string;
}

const NEARLY_FULL = {
  name: 'storage-nearly-full',
  text: `SELECT a.name, a.storage_bytes, s.bytes AS used_bytes FROM accounts a JOIN account_storage s ON s.account_id = a.id
    WHERE s.bytes > 0.9 * a.storage_bytes ORDER BY s.bytes / greatest(a.storage_bytes, 1)::float8 DESC, a.id LIMIT 1000`,
};

/** Accounts counted in one round. */
const AT_ONCE = 50;

const UNCOUNTED = {
  name: 'storage-uncounted',
  text: `SELECT a.id FROM accounts a LEFT JOIN account_storage s ON s.account_id = a.id
    WHERE s.counted_at IS NULL OR s.counted_at < now() - interval '7 days'
    ORDER BY s.counted_at NULLS FIRST LIMIT ${AT_ONCE}`,
};
const BEGIN_COUNT = {
  name: 'storage-begin-count',
  text: `INSERT INTO account_storage (account_id) SELECT id FROM accounts WHERE id = $1 ON CONFLICT DO NOTHING`,
};
// Files and counter in one statement, so of one moment.
const DRIFT = {
  name: 'storage-drift',
  text: `SELECT coalesce((SELECT sum(recording_bytes) FROM calls WHERE account_id = $1 AND recording_key IS NOT NULL), 0)
      + coalesce((SELECT sum(file_size) FROM knowledge_bases WHERE account_id = $1), 0) - s.bytes AS drift,
      s.counted_at::text AS counted_at
    FROM account_storage s WHERE s.account_id = $1`,
};
// Not twice, when two workers have counted at once.
const CORRECT = {
  name: 'storage-correct',
  text: `UPDATE account_storage SET bytes = bytes + $2, counted_at = now()
    WHERE account_id = $1 AND counted_at::text IS NOT DISTINCT FROM $3`,
};
/** The sum over the calls of a large account takes longer than other statements may. */
const COUNT_MS = 600_000;

/** Statements on account_storage. Its counters are kept by triggers, so everything here is prepared SQL beside them. */
@Injectable()
export class StorageQuotaRepository {
  constructor(private readonly database: Database) {}

  /** Accounts that use more than 90 % of their storage, the fullest first, 1,000 at most. */
  nearlyFull(): Promise<FullAccount[]> {
    return this.database.rows<FullAccount & Record<string, unknown>>(NEARLY_FULL);
  }

  /** Accounts whose files were not added up for a week, 50 at most. */
  async uncounted(): Promise<number[]> {
    return (await this.database.rows<{ id: number }>(UNCOUNTED)).map(({ id }) => id);
  }

  /**
   * Adds up the files of an account and corrects its counter. Exact beside running transactions, without delaying them: sum and
   * counter are of one moment, and a file that is stored meanwhile is in the counter and not in the difference.
   */
  async recount(accountId: number): Promise<void> {
    await this.database.rows(BEGIN_COUNT, [accountId]);
    await this.database.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${COUNT_MS}`);
      const [found] = await rows<{ drift: string; counted_at: string | null }>(tx, DRIFT, [accountId]);
      if (found) await rows(tx, CORRECT, [accountId, found.drift, found.counted_at]);
    });
  }

  problem(accountId: number, bytes: number): Promise<string | undefined> {
    return storageProblemOf(this.database.pool, accountId, bytes);
  }
}

/** A sentence when a file of `bytes` would exceed the account's limit; concurrent files are not counted yet. */
export async function storageProblemOf(sql: Sql, accountId: number, bytes: number): Promise<string | undefined> {
  const [use] = await rows<StorageUse & Record<string, unknown>>(sql, READ, [accountId]);
  return use && storageProblem(use, bytes);
}

/**
 * The same inside the transaction that has inserted the row of the file, as its last step: it counts the file and holds the
 * account's counter until the commit, so concurrent files together never exceed the limit.
 */
export async function heldStorageProblem(tx: Sql, accountId: number, bytes: number): Promise<string | undefined> {
  await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
  const [use] = await rows<StorageUse & Record<string, unknown>>(tx, READ, [accountId]);
  return use && storageProblem({ ...use, used_bytes: String(Number(use.used_bytes) - bytes) }, bytes);
}
