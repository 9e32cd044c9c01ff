import { rows, type Sql } from '@app/database';
import type { SourceType } from '../knowledge-base-row.js';

/*
 * The lease of a document lives on the database's clock. Every claim begins a generation of its own, and so does everything that ends
 * one without serving it: a worker that was taken for dead and is not finds that its generation is over, whatever it writes.
 */

/** A document in the hands of this process. */
export interface ClaimedDocument {
  id: number;
  account_id: number;
  agent_id: number;
  source_type: SourceType;
  source_reference: string | null;
  file_key: string | null;
  file_type: string | null;
  /** From 1. */
  attempt: number;
  generation: number;
  serving: number | null;
  etag: string | null;
  last_modified: string | null;
  content_hash: Buffer | null;
  lease_owner: string;
}

export interface ClaimWish {
  owner: string;
  leaseMs: number;
  limit: number;
  /** Of all workers together; the last place stays free for somebody who has none. */
  perAccount: number;
}

/**
 * The accounts that wait are found by jumping through the index (a loose index scan), of each only as many rows as may be taken;
 * then the one with the fewest running comes first. `attempt` 0: a fresh start, after which lost workers are counted anew.
 */
const CLAIM = {
  name: 'claim-documents',
  text: `WITH RECURSIVE accounts AS (
      (SELECT account_id FROM knowledge_bases WHERE status = 'pending' ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT k.account_id FROM knowledge_bases k WHERE k.status = 'pending' AND k.account_id > a.account_id
               ORDER BY k.account_id LIMIT 1)
        FROM accounts a WHERE a.account_id IS NOT NULL),
    running AS (SELECT account_id, count(*) AS now FROM knowledge_bases WHERE status = 'processing' GROUP BY account_id),
    due AS (
      SELECT d.id, d.next_attempt_at, coalesce(r.now, 0) + d.place AS place
        FROM accounts a LEFT JOIN running r ON r.account_id = a.account_id
       CROSS JOIN LATERAL (
         SELECT k.id, k.next_attempt_at, row_number() OVER (ORDER BY k.next_attempt_at, k.id) AS place FROM knowledge_bases k
          WHERE k.status = 'pending' AND k.account_id = a.account_id AND k.next_attempt_at <= now()
          ORDER BY k.next_attempt_at, k.id LIMIT $3) d),
    picked AS (
      SELECT k.id FROM due d JOIN knowledge_bases k ON k.id = d.id
       WHERE d.place <= $4 AND k.status = 'pending' AND k.next_attempt_at <= now()
       ORDER BY d.place, d.next_attempt_at, d.id LIMIT $3 FOR NO KEY UPDATE OF k SKIP LOCKED)
    UPDATE knowledge_bases k
       SET status = 'processing', stage = NULL, progress = 0, attempt = k.attempt + 1, generation = k.generation + 1,
           lost_leases = CASE WHEN k.attempt = 0 THEN 0 ELSE k.lost_leases END, lease_owner = $1,
           lease_until = now() + $2 * interval '1 ms', next_attempt_at = NULL, processing_error = NULL, error_code = NULL,
           updated_at = now()
      FROM picked WHERE k.id = picked.id
    RETURNING k.id, k.account_id, k.agent_id, k.source_type, k.source_reference, k.file_key, k.file_type, k.attempt, k.generation,
      k.serving, k.etag, k.last_modified, k.content_hash, k.lease_owner`,
};

/** Takes documents whose time has come and that nobody holds. */
export function claimDocuments(sql: Sql, wish: ClaimWish): Promise<ClaimedDocument[]> {
  return rows<ClaimedDocument>(sql, CLAIM, [wish.owner, wish.leaseMs, wish.limit, wish.perAccount]);
}

/** After so many the document is given up. */
const LOST_WORKERS = 3;

const REAP = {
  name: 'reap-documents',
  text: `WITH lost AS (
      SELECT id FROM knowledge_bases WHERE status = 'processing' AND lease_until < now()
       ORDER BY lease_until LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED),
    put_back AS (
      UPDATE knowledge_bases k
         SET lost_leases = k.lost_leases + 1, generation = k.generation + 1, lease_owner = NULL, lease_until = NULL, stage = NULL,
             progress = 0, updated_at = now(),
             status = CASE WHEN k.lost_leases + 1 >= ${LOST_WORKERS} THEN 'failed' ELSE 'pending' END,
             next_attempt_at = CASE WHEN k.lost_leases + 1 < ${LOST_WORKERS} THEN now() END,
             error_code = CASE WHEN k.lost_leases + 1 >= ${LOST_WORKERS} THEN $1 END,
             processing_error = CASE WHEN k.lost_leases + 1 >= ${LOST_WORKERS} THEN $2 END
        FROM lost WHERE k.id = lost.id RETURNING k.id, k.account_id, k.status, k.serving, k.lost_leases),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING put_back p
       WHERE c.knowledge_base_id = p.id AND c.generation IS DISTINCT FROM p.serving)
    SELECT id AS knowledge_base_id, account_id, status, lost_leases FROM put_back`,
};

export interface ReapedDocument {
  knowledge_base_id: number;
  account_id: number;
  status: 'pending' | 'failed';
  lost_leases: number;
}

/** Takes documents from workers whose lease is over: back to the line, or failed with this error when that happened too often. */
export function reapDocuments(sql: Sql, error: { code: string; processingError: string }): Promise<ReapedDocument[]> {
  return rows<ReapedDocument>(sql, REAP, [error.code, error.processingError]);
}
