import { Database, entityPage, type EntityTransaction, pgJson, pgText, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CampaignImportEntity, type DuplicateRule, type ImportColumn } from './campaign-import.entity.js';

/** The columns of CampaignImportEntity, of the row `i`. */
const COLUMNS = `i.id, i.account_id AS "accountId", i.campaign_id AS "campaignId", i.status, i.file_name AS "fileName",
  i.file_bytes AS "fileBytes", i.file_key AS "fileKey", i.encoding, i.delimiter, i.columns, i.duplicates,
  i.default_country AS "defaultCountry", i.progress, i.rows, i.added,
  i.merged, i.refused, i.processing_error AS "processingError", i.attempts, i.lease_owner AS "leaseOwner", i.lease_until AS "leaseUntil",
  i.created_at AS "createdAt", i.started_at AS "startedAt", i.ended_at AS "endedAt"`;

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
  defaultCountry: string | null;
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

const LOCK_ACCOUNT = { name: 'lock-imports', text: 'SELECT pg_advisory_xact_lock(7216051, $1)' };

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
      FROM picked WHERE i.id = picked.id RETURNING ${COLUMNS}`,
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

/** An import that a worker runs. */
export type ImportRow = CampaignImportEntity;

const NOT_BEGUN = { processingError: null, leaseOwner: null, leaseUntil: null, startedAt: null, endedAt: null };

/** Requests go through TypeORM; workers claim, advance and end imports by leases on the database's clock, with prepared statements. */
@Injectable()
export class CampaignImportsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(CampaignImportEntity) private readonly imports: Repository<CampaignImportEntity>,
  ) {}

  /** Unfinished imports of the account; no other one is counted or added until the transaction ends. */
  async unfinished(accountId: number, tx: Sql): Promise<number> {
    await this.database.rows(LOCK_ACCOUNT, [accountId], tx);
    const [row] = await this.database.rows<{ n: number }>(UNFINISHED, [accountId], tx);
    return row?.n ?? 0;
  }

  async insert(one: NewImport, tx: EntityTransaction): Promise<CampaignImportEntity> {
    const imports = tx.manager.getRepository(CampaignImportEntity);
    // A name, or a column of the file, may have characters that PostgreSQL does not store.
    const columns = JSON.parse(pgJson(one.columns)) as ImportColumn[];
    const row = imports.create({ ...one, ...NOT_BEGUN, fileName: pgText(one.fileName), columns });
    await imports.insert(row);
    return row;
  }

  find(accountId: number, campaignId: number, id: string): Promise<CampaignImportEntity | null> {
    return this.imports.findOneBy({ accountId, campaignId, id });
  }

  /** Newest first. */
  page(
    accountId: number,
    campaignId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[CampaignImportEntity[], number]> {
    const imports = this.imports.createQueryBuilder('import').where({ accountId, campaignId });
    return entityPage(imports.orderBy('import.id', 'DESC'), { limit: perPage, offset: (page - 1) * perPage });
  }

  /** `lastAccount`: of the previous claim; the next account has its turn. */
  async claim(owner: string, leaseMs: number, lastAccount: number): Promise<ImportRow | undefined> {
    return (await this.database.rows<ImportRow & Record<string, unknown>>(CLAIM, [owner, leaseMs, lastAccount]))[0];
  }

  /** @returns whether this worker still holds the import. */
  async renew({ id, leaseOwner: owner }: ImportRow, leaseMs: number): Promise<boolean> {
    return (await this.database.rows(RENEW, [id, owner, leaseMs])).length > 0;
  }

  /** Counts a batch after `rows` rows, and stores its refusals, `mostRefusals` of an import. False: the import is lost. */
  async advance(
    { id, leaseOwner: owner, rows }: ImportRow,
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
  async end({ id, leaseOwner: owner }: ImportRow, error: string | null): Promise<void> {
    await this.database.rows(END, [id, owner, error === null ? 'completed' : 'failed', error && pgText(error)]);
  }

  /** Returns the import to the queue. `delayMs`: 0 if the try does not count. */
  async release({ id, leaseOwner: owner }: ImportRow, delayMs: number): Promise<void> {
    await this.database.rows(RELEASE, [id, owner, delayMs]);
  }

  async fileDeleted({ id, leaseOwner: owner }: ImportRow): Promise<void> {
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
