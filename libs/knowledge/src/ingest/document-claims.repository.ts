import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { SourceType, Stage } from '../knowledge-base.entity.js';
import type { NewChunk } from '../knowledge-chunks.repository.js';
import type { NextStep } from './next-step.js';

/*
 * The lease of a document lives on the database's clock. Every claim begins a new generation, and so does everything that ends a
 * generation without serving it: a worker that was wrongly taken for dead finds that its generation is over, whatever it writes.
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
}

export interface ClaimRequest {
  owner: string;
  leaseMs: number;
  limit: number;
  /** Of all workers together; the last place stays free for an account without a document at work. */
  perAccount: number;
}

/** What a worker reports about a document that it processes. */
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

type StoredChunk = Pick<NewChunk, 'ordinal' | 'text' | 'headingPath'>;

/** A document is given up after so many workers that died with it. */
const LOST_WORKERS = 3;
/** In memory at once, about 1 MB of text and vectors. */
export const CHUNKS_PER_EMBEDDING = 256;

/**
 * The waiting accounts are found by jumping through the index (a loose index scan), of each only as many rows as may be taken;
 * then the account with the fewest running documents comes first. `attempt` 0: a fresh start, after which lost workers are counted
 * anew.
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

/** Without a new generation: what searches see stays as it is, and so does their version of it. */
const KEEP = {
  name: 'keep-generation',
  text: `UPDATE knowledge_bases SET status = 'completed', stage = NULL, progress = 100, lease_owner = NULL, lease_until = NULL,
      etag = coalesce($4, etag), last_modified = coalesce($5, last_modified), updated_at = now()
    WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing' RETURNING id`,
};

/** `attempt`: given back when the try does not count. */
const END = {
  name: 'end-document',
  text: `WITH ended AS (
      UPDATE knowledge_bases SET status = $4, next_attempt_at = now() + $5 * interval '1 ms', error_code = $6,
          processing_error = $7, attempt = attempt - $8, generation = generation + 1, stage = NULL, progress = 0,
          lease_owner = NULL, lease_until = NULL, updated_at = now()
       WHERE id = $1 AND generation = $2 AND lease_owner = $3 AND status = 'processing' RETURNING id, serving),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING ended e
       WHERE c.knowledge_base_id = e.id AND c.generation IS DISTINCT FROM e.serving)
    SELECT id FROM ended`,
};

const TO_EMBED = {
  name: 'chunks-to-embed',
  text: `SELECT ordinal, text, heading_path AS "headingPath" FROM knowledge_chunks
    WHERE knowledge_base_id = $1 AND generation = $2 AND ordinal >= $3 ORDER BY ordinal LIMIT ${CHUNKS_PER_EMBEDDING}`,
};
const STORE_EMBEDDINGS = {
  name: 'store-embeddings',
  text: `UPDATE knowledge_chunks c SET embedding = e.embedding, embedding_model = e.model
      FROM unnest($3::integer[], $4::bytea[], $5::text[]) AS e(ordinal, embedding, model)
     WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal = e.ordinal`,
};

/** Claims and leases of documents: several rows and tables per statement, so that any number of workers can share the work. */
@Injectable()
export class DocumentClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Claims documents that are due and not leased. */
  claim({ owner, leaseMs, limit, perAccount }: ClaimRequest): Promise<ClaimedDocument[]> {
    const values = [owner, leaseMs, limit, perAccount];
    return this.database.rows<ClaimedDocument & Record<string, unknown>>(CLAIM, values);
  }

  /** Takes documents from workers whose lease is over: back to the queue, or failed with this error when that happened too often. */
  reap(error: { code: string; processingError: string }): Promise<ReapedDocument[]> {
    const values = [error.code, error.processingError];
    return this.database.rows<ReapedDocument & Record<string, unknown>>(REAP, values);
  }

  /** Renews leases and stores progress. @returns the ids of the documents that this process still holds. */
  async renew(held: readonly DocumentProgress[], leaseMs: number): Promise<Set<number>> {
    const owner = held[0]?.claim.lease_owner;
    if (owner === undefined) return new Set();
    const columns = [
      held.map(({ claim }) => claim.id),
      held.map(({ claim }) => claim.generation),
      held.map(({ stage }) => stage),
      held.map(({ progress }) => Math.round(progress)),
    ];
    const renewed = await this.database.rows<{ id: number }>(RENEW, [owner, leaseMs, ...columns]);
    return new Set(renewed.map(({ id }) => id));
  }

  /** False: the lease is lost. */
  async lock(claim: ClaimedDocument, tx: Sql): Promise<boolean> {
    return (await this.database.rows(LOCK, keyOf(claim), tx)).length > 0;
  }

  /** The serving generation stays. False: the lease is lost. */
  async keepServing(
    claim: ClaimedDocument,
    validators: { etag: string | null; lastModified: string | null },
  ): Promise<boolean> {
    const values = [...keyOf(claim), validators.etag, validators.lastModified];
    return (await this.database.rows(KEEP, values)).length > 0;
  }

  /** Ends the try without serving anything; the chunks it wrote are removed. False: the lease is lost. */
  async end(claim: ClaimedDocument, { status, delayMs, problem, counts }: NextStep): Promise<boolean> {
    const step = [status, delayMs ?? null, problem?.code ?? null, problem?.processingError ?? null, counts ? 0 : 1];
    return (await this.database.rows(END, [...keyOf(claim), ...step])).length > 0;
  }

  /** The next chunks that are stored without a vector, CHUNKS_PER_EMBEDDING at most. */
  chunksToEmbed({ id, generation }: ClaimedDocument, from: number): Promise<StoredChunk[]> {
    return this.database.rows<StoredChunk & Record<string, unknown>>(TO_EMBED, [id, generation, from]);
  }

  async storeEmbeddings({ id, generation }: ClaimedDocument, chunks: readonly NewChunk[], tx: Sql): Promise<void> {
    const columns = [
      chunks.map(({ ordinal }) => ordinal),
      chunks.map(({ embedding }) => embedding),
      chunks.map(({ embeddingModel }) => embeddingModel),
    ];
    await this.database.rows(STORE_EMBEDDINGS, [id, generation, ...columns], tx);
  }
}

const keyOf = ({ id, generation, lease_owner }: ClaimedDocument): unknown[] => [id, generation, lease_owner];
