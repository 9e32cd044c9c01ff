import { Database, pgJson, pgText, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CampaignImportEntity, DuplicateRule, ImportColumn } from './campaign-import.entity.js';

const COLUMNS = `id, account_id, campaign_id, status, file_name, file_bytes, file_key, encoding, delimiter, columns, duplicates, progress,
  rows, added, merged, refused, processing_error, attempts, lease_owner, lease_until, created_at, started_at, ended_at`;

interface NewImport {
  id: string;
  accountId: number;
  campaignId: number;
  fileName: string;
  fileBytes: number;
  fileKey: string;
  encoding: string;
  delimiter: string;
  columns: ImportColumn[];
  duplicates: DuplicateRule;
}

/** A refused row of a file. */
export interface Refusal {
  line: number;
  field: string;
  reason: string;
}

/** What a batch of rows adds to the counts of its import. */
interface BatchCounts {
  rows: number;
  added: number;
  merged: number;
  refused: number;
  /** Percent of the file, not added. */
  progress: number;
}

const INSERT = {
  name: 'insert-campaign-import',
  text: `INSERT INTO campaign_imports (id, account_id, campaign_id, file_name, file_bytes, file_key, encoding, delimiter, columns, duplicates)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${COLUMNS}`,
};

const FIND = {
  name: 'find-campaign-import',
  text: `SELECT ${COLUMNS} FROM campaign_imports WHERE account_id = $1 AND campaign_id = $2 AND id = $3`,
};

const LIST = {
  name: 'list-campaign-imports',
  text: `SELECT ${COLUMNS}, (count(*) OVER ())::integer AS total FROM campaign_imports
    WHERE account_id = $1 AND campaign_id = $2 ORDER BY id DESC LIMIT $3 OFFSET $4`,
};

const COUNT = {
  name: 'count-campaign-imports',
  text: 'SELECT count(*)::integer AS n FROM campaign_imports WHERE account_id = $1 AND campaign_id = $2',
};

const LOCK_ACCOUNT = { name: 'lock-account-of-import', text: 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE' };

const UNFINISHED = {
  name: 'unfinished-campaign-imports',
  text: `SELECT count(*)::integer AS n FROM campaign_imports
    WHERE account_id = $1 AND file_key IS NOT NULL AND status IN ('pending', 'processing')`,
};

/**
 * The next import whose file is still there and that no worker works on, accounts in turn and one of an account at a time. Ended ones and
 * those of deleted campaigns are among them: their file is deleted.
 */
const CLAIM = {
  name: 'claim-campaign-import',
  text: `WITH picked AS (
      SELECT i.id FROM campaign_imports i
       WHERE i.file_key IS NOT NULL AND (i.lease_until IS NULL OR i.lease_until <= now())
         AND NOT EXISTS (SELECT FROM campaign_imports o WHERE o.account_id = i.account_id AND o.file_key IS NOT NULL AND o.lease_until > now())
       ORDER BY i.account_id <= $3, i.account_id, i.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE campaign_imports i SET lease_owner = $1, lease_until = now() + $2 * interval '1 ms', attempts = attempts + 1,
        status = CASE status WHEN 'pending' THEN 'processing' ELSE status END, started_at = coalesce(started_at, now())
      FROM picked WHERE i.id = picked.id RETURNING ${COLUMNS.replaceAll(/\b(\w+)(?=,|$)/g, 'i.$1')}`,
};

const RENEW = {
  name: 'renew-campaign-import',
  text: `UPDATE campaign_imports SET lease_until = now() + $3 * interval '1 ms' WHERE id = $1 AND lease_owner = $2 RETURNING 1`,
};

/** Only for the worker that holds the import, and only after the rows that it knows: each row is imported once. */
const ADVANCE = {
  name: 'advance-campaign-import',
  text: `UPDATE campaign_imports SET rows = rows + $4, added = added + $5, merged = merged + $6, refused = refused + $7, progress = $8,
      attempts = 0, lease_until = now() + $9 * interval '1 ms'
    WHERE id = $1 AND lease_owner = $2 AND rows = $3 AND status = 'processing' AND campaign_id IS NOT NULL RETURNING refused`,
};

const REFUSE = {
  name: 'insert-campaign-import-refusals',
  text: `INSERT INTO campaign_import_refusals (import_id, line, field, reason)
    SELECT $1, line, field, reason FROM unnest($2::integer[], $3::text[], $4::text[]) AS r (line, field, reason)
    ON CONFLICT DO NOTHING`,
};

const END = {
  name: 'end-campaign-import',
  text: `UPDATE campaign_imports SET status = $3, processing_error = $4, ended_at = now(),
      progress = CASE WHEN $3 = 'completed' THEN 100 ELSE progress END
    WHERE id = $1 AND lease_owner = $2 AND status = 'processing' RETURNING 1`,
};

const RELEASE = {
  name: 'release-campaign-import',
  text: `UPDATE campaign_imports SET lease_until = now() + $3 * interval '1 ms', attempts = CASE WHEN $3 = 0 THEN attempts - 1 ELSE attempts END
    WHERE id = $1 AND lease_owner = $2`,
};

const FILE_DELETED = {
  name: 'campaign-import-file-deleted',
  text: `UPDATE campaign_imports SET file_key = NULL, lease_owner = NULL, lease_until = NULL WHERE id = $1 AND lease_owner = $2`,
};

const DELETE_OLD = {
  name: 'delete-old-campaign-imports',
  text: `DELETE FROM campaign_imports WHERE id IN (
      SELECT id FROM campaign_imports WHERE ended_at < now() - $1 * interval '1 day' AND file_key IS NULL ORDER BY ended_at LIMIT 50)`,
};

const DELETE_ORPHANS = {
  name: 'delete-orphaned-campaign-imports',
  text: `DELETE FROM campaign_imports WHERE id IN (
      SELECT id FROM campaign_imports WHERE campaign_id IS NULL AND file_key IS NULL LIMIT 50)`,
};

const REFUSALS = {
  name: 'campaign-import-refusals',
  text: `SELECT line, field, reason FROM campaign_import_refusals WHERE import_id = $1 AND (line, field) > ($2, $3)
    ORDER BY line, field LIMIT $4`,
};

export type ImportRow = CampaignImportEntity;

/** Statements on imports and their refused rows. */
@Injectable()
export class CampaignImportsRepository {
  constructor(private readonly database: Database) {}

  /** Unfinished imports of the account; it stays locked until the transaction ends. */
  async unfinished(accountId: number, tx: Sql): Promise<number> {
    await this.database.rows(LOCK_ACCOUNT, [accountId], tx);
    const [row] = await this.database.rows<{ n: number }>(UNFINISHED, [accountId], tx);
    return row?.n ?? 0;
  }

  async insert(one: NewImport, tx: Sql): Promise<ImportRow> {
    const { id, accountId, campaignId, fileName, fileBytes, fileKey, encoding, delimiter, columns, duplicates } = one;
    const names = [pgText(fileName), fileBytes, fileKey, encoding, delimiter, pgJson(columns), duplicates];
    const [row] = await this.database.rows<ImportRow>(INSERT, [id, accountId, campaignId, ...names], tx);
    return row!;
  }

  async find(accountId: number, campaignId: number, id: string): Promise<ImportRow | undefined> {
    return (await this.database.rows<ImportRow>(FIND, [accountId, campaignId, id]))[0];
  }

  /** Newest first. */
  async page(
    accountId: number,
    campaignId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ imports: ImportRow[]; total: number }> {
    const values = [accountId, campaignId, perPage, (page - 1) * perPage];
    const imports = await this.database.rows<ImportRow & { total: number }>(LIST, values);
    if (imports[0] || page === 1) return { imports, total: imports[0]?.total ?? 0 };
    const [counted] = await this.database.rows<{ n: number }>(COUNT, [accountId, campaignId]);
    return { imports, total: counted?.n ?? 0 };
  }

  /** `lastAccount`: of the previous claim; the next account has its turn. */
  async claim(owner: string, leaseMs: number, lastAccount: number): Promise<ImportRow | undefined> {
    return (await this.database.rows<ImportRow>(CLAIM, [owner, leaseMs, lastAccount]))[0];
  }

  /** @returns whether this worker still holds the import. */
  async renew({ id, lease_owner: owner }: ImportRow, leaseMs: number): Promise<boolean> {
    return (await this.database.rows(RENEW, [id, owner, leaseMs])).length > 0;
  }

  /** Counts a batch after `rows` rows, and stores its refusals, `mostRefusals` of an import. False: the import is lost. */
  async advance(
    { id, lease_owner: owner, rows }: ImportRow,
    counts: BatchCounts,
    refusals: readonly Refusal[],
    limits: { leaseMs: number; mostRefusals: number },
    tx: Sql,
  ): Promise<boolean> {
    const { added, merged, refused, progress } = counts;
    const values = [id, owner, rows, counts.rows, added, merged, refused, progress, limits.leaseMs];
    const [advanced] = await this.database.rows<{ refused: number }>(ADVANCE, values, tx);
    if (!advanced) return false;
    const room = Math.max(0, limits.mostRefusals - (advanced.refused - refused));
    const kept = refusals.slice(0, room);
    const arrays = [
      kept.map((one) => one.line),
      kept.map((one) => pgText(one.field)),
      kept.map((one) => pgText(one.reason)),
    ];
    if (kept.length > 0) await this.database.rows(REFUSE, [id, ...arrays], tx);
    return true;
  }

  /** `error`: null for a completed import. */
  async end({ id, lease_owner: owner }: ImportRow, error: string | null): Promise<void> {
    await this.database.rows(END, [id, owner, error === null ? 'completed' : 'failed', error && pgText(error)]);
  }

  /** Returns the import to the queue. `delayMs`: 0 if the try does not count. */
  async release({ id, lease_owner: owner }: ImportRow, delayMs: number): Promise<void> {
    await this.database.rows(RELEASE, [id, owner, delayMs]);
  }

  async fileDeleted({ id, lease_owner: owner }: ImportRow): Promise<void> {
    await this.database.rows(FILE_DELETED, [id, owner]);
  }

  /** Deletes imports that ended long ago, and those of deleted campaigns, with their refusals. */
  async deleteOld(days: number): Promise<void> {
    await this.database.rows(DELETE_OLD, [days]);
    await this.database.rows(DELETE_ORPHANS);
  }

  /** Refusals after a line and field, by line. */
  refusals(importId: string, after: { line: number; field: string }, limit: number): Promise<Refusal[]> {
    return this.database.rows<Refusal & Record<string, unknown>>(REFUSALS, [importId, after.line, after.field, limit]);
  }
}
