import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { SourceType, Stage } from '../knowledge-base.entity.js';
import type { CrawlSettings } from '../crawl/crawl-settings.js';
import { PAGE_COUNTS } from '../crawl/crawl-pages.repository.js';
import type { GenerationFacts } from '../knowledge-chunks.repository.js';
import type { NextStep } from './next-step.js';

/*
 * Leases use the database's clock. Every claim begins a new generation, and so does every statement that ends a generation without
 * serving it: a worker that was wrongly considered dead cannot write any more, because its generation is no longer the newest.
 */

/** A document that this process has claimed. */
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
  /** Null: the URL is a single page. */
  crawl: CrawlSettings | null;
  /** The generation that the crawl builds in several slices. */
  building_generation: number | null;
  /** The run was started by the schedule. */
  refreshing: boolean;
  /** Characters of the serving generation. */
  character_count: number;
}

export interface ClaimRequest {
  owner: string;
  leaseMs: number;
  limit: number;
  /** Across all workers; the last slot stays free for an account without a running document. */
  perAccount: number;
  /** Precede others whose turn it is as well. */
  preferredAccounts: readonly number[];
}

/** The progress of a document, reported by its worker. */
export interface DocumentProgress {
  claim: ClaimedDocument;
  stage: Stage | null;
  /** 0 to 100. */
  progress: number;
}

export interface ReapedDocument {
  knowledge_base_id: number;
  account_id: number;
  status: 'pending' | 'failed';
  lost_leases: number;
}

/** A complete generation that is not served, and the retrieval tests that would fail. */
export interface HeldRefresh {
  reason: string;
  facts: GenerationFacts;
  tests: readonly { id: number; reason: string }[];
}

/** Of a claimed document. */
export const FIRST_STAGE = 'fetch' satisfies Stage;
/** A document fails after this many workers died while processing it. */
const LOST_WORKERS = 3;

/**
 * A loose index scan finds the accounts with pending documents and reads only as many rows of each as may be claimed; the account
 * with the fewest running documents comes first, and of several such accounts the preferred ones. `attempt` 0 is a fresh start: the
 * count of lost workers begins anew.
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
       ORDER BY d.place, k.account_id = ANY ($5::integer[]) DESC, d.next_attempt_at, d.id LIMIT $3 FOR NO KEY UPDATE OF k SKIP LOCKED)
    UPDATE knowledge_bases k
       SET status = 'processing', stage = '${FIRST_STAGE}', attempt = k.attempt + 1, generation = k.generation + 1,
           progress = CASE WHEN k.building_generation IS NULL THEN 0 ELSE k.progress END,
           building_generation = CASE WHEN k.crawl IS NOT NULL THEN coalesce(k.building_generation, k.generation + 1) END,
           lost_leases = CASE WHEN k.attempt = 0 THEN 0 ELSE k.lost_leases END, lease_owner = $1,
           lease_until = now() + $2 * interval '1 ms', next_attempt_at = NULL, processing_error = NULL, error_code = NULL,
           updated_at = now()
      FROM picked WHERE k.id = picked.id
    RETURNING k.id, k.account_id, k.agent_id, k.source_type, k.source_reference, k.file_key, k.file_type, k.attempt, k.generation,
      k.serving, k.etag, k.last_modified, k.content_hash, k.lease_owner, k.crawl, k.building_generation, k.refreshing,
      k.character_count`,
};

/** A failed refresh leaves the served generation completed; `processing_error` explains why it was not replaced. */
const FAILED = `CASE WHEN k.refreshing AND k.serving IS NOT NULL THEN 'completed' ELSE 'failed' END`;

/** A final failure ends the crawl and the refresh. Without a served generation, the pages of the failed crawl remain listed. */
const onEnd = (isFinal: string): string => `
  last_refresh = CASE WHEN ${isFinal} AND k.refreshing THEN
    '{"added":0,"changed":0,"unchanged":0,"removed":0,"failed":1}'::jsonb ELSE k.last_refresh END,
  last_refresh_at = CASE WHEN ${isFinal} AND k.refreshing THEN now() ELSE k.last_refresh_at END,
  page_counts = CASE WHEN ${isFinal} AND k.building_generation IS NOT NULL AND k.pages_generation = k.serving
    THEN (${PAGE_COUNTS('k.id', 'k.serving')}) ELSE k.page_counts END,
  pages_generation = CASE WHEN ${isFinal} AND k.building_generation IS NOT NULL
      AND (k.serving IS NULL OR k.pages_generation IS DISTINCT FROM k.serving)
    THEN k.building_generation ELSE k.pages_generation END,
  building_generation = CASE WHEN ${isFinal} THEN NULL ELSE k.building_generation END,
  refreshing = k.refreshing AND NOT (${isFinal})`;

const REAP = {
  name: 'reap-documents',
  text: `WITH lost AS (
      SELECT id FROM knowledge_bases WHERE status = 'processing' AND lease_until < now()
       ORDER BY lease_until LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED),
    put_back AS (
      UPDATE knowledge_bases k
         SET lost_leases = k.lost_leases + 1, generation = k.generation + 1, lease_owner = NULL, lease_until = NULL, stage = NULL,
             progress = 0, updated_at = now(), ${onEnd(`k.lost_leases + 1 >= ${LOST_WORKERS}`)},
             status = CASE WHEN k.lost_leases + 1 < ${LOST_WORKERS} THEN 'pending' ELSE ${FAILED} END,
             next_attempt_at = CASE WHEN k.lost_leases + 1 < ${LOST_WORKERS} THEN now() END,
             error_code = CASE WHEN k.lost_leases + 1 >= ${LOST_WORKERS} THEN $1 END,
             processing_error = CASE WHEN k.lost_leases + 1 >= ${LOST_WORKERS} THEN $2 END
        FROM lost WHERE k.id = lost.id
      RETURNING k.id, k.account_id, k.status, k.serving, k.held_generation, k.lost_leases, k.building_generation),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING put_back p
       WHERE c.knowledge_base_id = p.id AND c.generation IS DISTINCT FROM p.serving
         AND c.generation IS DISTINCT FROM p.held_generation AND c.generation IS DISTINCT FROM p.building_generation)
    SELECT id AS knowledge_base_id, account_id, status, lost_leases FROM put_back`,
};

const LOCK = {
  name: 'lock-held-document',
  text: `SELECT id FROM knowledge_bases WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing'
    FOR NO KEY UPDATE`,
};

const RENEW = {
  name: 'renew-documents',
  text: `UPDATE knowledge_bases k SET stage = i.stage, progress = i.progress, lease_until = now() + $2 * interval '1 ms'
      FROM unnest($3::integer[], $4::integer[], $5::text[], $6::smallint[]) AS i(id, generation, stage, progress)
     WHERE k.id = i.id AND k.generation = i.generation AND k.lease_owner = $1 AND k.status = 'processing' RETURNING k.id`,
};

/**
 * Without a new generation: search results stay the same, and so does the agent's knowledge version. A held refresh is obsolete,
 * because the source equals the serving generation again.
 */
const KEEP = {
  name: 'keep-generation',
  text: `WITH kept AS (
      UPDATE knowledge_bases SET status = 'completed', stage = NULL, progress = 100, lease_owner = NULL, lease_until = NULL,
          refreshing = false, last_refresh_at = now(), last_refresh =
            '{"added":0,"changed":0,"unchanged":1,"removed":0,"failed":0}'::jsonb,
          etag = coalesce($4, etag), last_modified = coalesce($5, last_modified), held_generation = NULL, held_reason = NULL,
          held_facts = NULL, updated_at = now()
       WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing' RETURNING id, serving),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING kept k
       WHERE c.knowledge_base_id = k.id AND c.generation IS DISTINCT FROM k.serving)
    SELECT id FROM kept`,
};

/**
 * Ends the try with a complete generation that is not served. It replaces the one that was held before. The listed pages of a crawl
 * stay those of the serving generation.
 */
const HOLD = {
  name: 'hold-generation',
  text: `WITH held AS (
      UPDATE knowledge_bases k SET status = 'completed', stage = NULL, progress = 100, processing_error = NULL, error_code = NULL,
          lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL, refreshing = false,
          held_generation = coalesce(building_generation, generation), held_reason = $4, held_facts = $5,
          page_counts = CASE WHEN pages_generation IS NULL THEN NULL ELSE (${PAGE_COUNTS('k.id', 'k.pages_generation')}) END,
          building_generation = NULL, updated_at = now()
       WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing'
      RETURNING id, serving, held_generation),
    replaced AS (
      DELETE FROM knowledge_chunks c USING held h
       WHERE c.knowledge_base_id = h.id AND c.generation <> h.held_generation AND c.generation IS DISTINCT FROM h.serving),
    replaced_pages AS (
      DELETE FROM knowledge_pages p USING held h
       WHERE p.knowledge_base_id = h.id AND p.generation <> h.held_generation AND p.generation IS DISTINCT FROM h.serving)
    SELECT id FROM held`,
};

/** The tests show which refresh they hold back. Locks in the order of the ids, as the other writers do. */
const MARK_TESTS = {
  name: 'mark-tests-of-held-refresh',
  text: `WITH locked AS (
      SELECT t.id FROM knowledge_tests t WHERE t.account_id = $1 AND t.id = ANY ($3::integer[]) ORDER BY t.id FOR NO KEY UPDATE)
    UPDATE knowledge_tests t SET held_refreshes = t.held_refreshes || jsonb_build_object($2::text, b.reason)
      FROM unnest($3::integer[], $4::text[]) AS b(id, reason) JOIN locked l ON l.id = b.id WHERE t.id = b.id`,
};

/** `attempt` is decremented if the try does not count. */
const END = {
  name: 'end-document',
  text: `WITH ended AS (
      UPDATE knowledge_bases k SET status = CASE WHEN $4 = 'failed' THEN ${FAILED} ELSE $4 END, ${onEnd(`$4 = 'failed'`)},
          next_attempt_at = now() + $5 * interval '1 ms', error_code = $6, processing_error = $7, attempt = attempt - $8,
          generation = generation + 1, stage = NULL, lease_owner = NULL, lease_until = NULL, updated_at = now(),
          progress = CASE WHEN $4 = 'pending' AND k.building_generation IS NOT NULL THEN k.progress ELSE 0 END
       WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing'
      RETURNING id, serving, held_generation, building_generation),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING ended e
       WHERE c.knowledge_base_id = e.id AND c.generation IS DISTINCT FROM e.serving
         AND c.generation IS DISTINCT FROM e.held_generation AND c.generation IS DISTINCT FROM e.building_generation)
    SELECT id FROM ended`,
};

/** Between two slices of a crawl: other documents take turns, and neither tries nor lost workers before this progress count. */
const PAUSE = {
  name: 'pause-crawl',
  text: `UPDATE knowledge_bases SET status = 'pending', next_attempt_at = now() + $4 * interval '1 ms', attempt = 0,
      generation = generation + 1, stage = NULL, lease_owner = NULL, lease_until = NULL, updated_at = now()
    WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing' RETURNING id`,
};

/**
 * Claims and leases of documents. Each statement covers several rows and tables, so that any number of workers can
 * share the work.
 */
@Injectable()
export class DocumentClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Claims pending documents that are due. */
  claim({ owner, leaseMs, limit, perAccount, preferredAccounts }: ClaimRequest): Promise<ClaimedDocument[]> {
    const values = [owner, leaseMs, limit, perAccount, preferredAccounts];
    return this.database.rows<ClaimedDocument & Record<string, unknown>>(CLAIM, values);
  }

  /**
   * Takes documents from workers whose lease expired: back to the queue, or failed with this error if it happened too
   * often.
   */
  reap(error: { code: string; processingError: string }): Promise<ReapedDocument[]> {
    const values = [error.code, error.processingError];
    return this.database.rows<ReapedDocument & Record<string, unknown>>(REAP, values);
  }

  /** Renews leases and stores progress. @returns the ids of the documents that this process still holds. */
  async renew(held: readonly DocumentProgress[], leaseMs: number, tx?: Sql): Promise<Set<number>> {
    const owner = held[0]?.claim.lease_owner;
    if (owner === undefined) return new Set();
    const columns = [
      held.map(({ claim }) => claim.id),
      held.map(({ claim }) => claim.generation),
      held.map(({ stage }) => stage),
      held.map(({ progress }) => Math.round(progress)),
    ];
    const renewed = await this.database.rows<{ id: number }>(RENEW, [owner, leaseMs, ...columns], tx);
    return new Set(renewed.map(({ id }) => id));
  }

  /** Returns false if the lease is lost. */
  async lock(claim: ClaimedDocument, tx: Sql): Promise<boolean> {
    return (await this.database.rows(LOCK, keyOf(claim), tx)).length > 0;
  }

  /** Keeps the serving generation. Returns false if the lease is lost. */
  async keepServing(
    claim: ClaimedDocument,
    validators: { etag: string | null; lastModified: string | null },
  ): Promise<boolean> {
    const values = [...keyOf(claim), validators.etag, validators.lastModified];
    return (await this.database.rows(KEEP, values)).length > 0;
  }

  /** Keeps a complete generation without serving it. Returns false if the lease is lost. */
  async hold(claim: ClaimedDocument, { reason, facts, tests }: HeldRefresh, tx: Sql): Promise<boolean> {
    const { contentHash, ...others } = facts;
    const stored = JSON.stringify({ ...others, ...(contentHash && { contentHash: contentHash.toString('hex') }) });
    if ((await this.database.rows(HOLD, [...keyOf(claim), reason, stored], tx)).length === 0) return false;
    const columns = [tests.map(({ id }) => id), tests.map((test) => test.reason)];
    await this.database.rows(MARK_TESTS, [claim.account_id, String(claim.id), ...columns], tx);
    return true;
  }

  /** Ends the try without a new serving generation and deletes its chunks. Returns false if the lease is lost. */
  async end(claim: ClaimedDocument, { status, delayMs, problem, counts }: NextStep): Promise<boolean> {
    const step = [status, delayMs ?? null, problem?.code ?? null, problem?.processingError ?? null, counts ? 0 : 1];
    return (await this.database.rows(END, [...keyOf(claim), ...step])).length > 0;
  }

  /** Returns a crawl to the queue with its progress. Returns false if the lease is lost. */
  async pause(claim: ClaimedDocument, delayMs: number): Promise<boolean> {
    return (await this.database.rows(PAUSE, [...keyOf(claim), delayMs])).length > 0;
  }
}

const keyOf = ({ id, generation, lease_owner }: ClaimedDocument): unknown[] => [id, generation, lease_owner];
