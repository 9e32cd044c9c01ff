import { Database, rows, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { StorageUse } from './domain/storage-quota.js';

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
// Files and counter in one statement, so in one snapshot.
const DRIFT = {
  name: 'storage-drift',
  text: `SELECT coalesce((SELECT sum(recording_bytes) FROM calls WHERE account_id = $1 AND recording_key IS NOT NULL), 0)
      + coalesce((SELECT sum(file_size) FROM knowledge_bases WHERE account_id = $1), 0) - s.bytes AS drift,
      s.counted_at::text AS counted_at
    FROM account_storage s WHERE s.account_id = $1`,
};
// Corrects once when two workers have counted at the same time.
const CORRECT = {
  name: 'storage-correct',
  text: `UPDATE account_storage SET bytes = bytes + $2, counted_at = now()
    WHERE account_id = $1 AND counted_at::text IS NOT DISTINCT FROM $3`,
};
/** The sum over the calls of a large account takes longer than other statements may. */
const COUNT_MS = 600_000;

/** Statements on account_storage, whose counters triggers maintain. */
@Injectable()
export class StorageQuotaRepository {
  constructor(private readonly database: Database) {}

  /** Accounts that use more than 90 % of their storage, the fullest first, 1,000 at most. */
  nearlyFull(): Promise<FullAccount[]> {
    return this.database.rows<FullAccount & Record<string, unknown>>(NEARLY_FULL);
  }

  /** Accounts whose files were not added up in the last week, 50 at most. */
  async uncounted(): Promise<number[]> {
    return (await this.database.rows<{ id: number }>(UNCOUNTED)).map(({ id }) => id);
  }

  /**
   * Adds up the files of an account and corrects its counter. Exact despite concurrent transactions, without delaying them: sum and
   * counter come from one snapshot, and a file that is stored meanwhile is in the counter and not in the difference.
   */
  async recount(accountId: number): Promise<void> {
    await this.database.rows(BEGIN_COUNT, [accountId]);
    await this.database.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${COUNT_MS}`);
      const [found] = await rows<{ drift: string; counted_at: string | null }>(tx, DRIFT, [accountId]);
      if (found) await rows(tx, CORRECT, [accountId, found.drift, found.counted_at]);
    });
  }

  /** undefined: there is no such account. */
  async use(accountId: number, tx?: Sql): Promise<StorageUse | undefined> {
    const [use] = await this.database.rows<StorageUse & Record<string, unknown>>(READ, [accountId], tx);
    return use;
  }

  /** Runs the triggers of the transaction now: they count its files, and hold the account's counter until the commit. */
  async holdCounter(tx: Sql): Promise<void> {
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
  }
}
