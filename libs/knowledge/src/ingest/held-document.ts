import { inTransaction, rows, type Sql } from '@app/database';
import type { Pool, PoolClient } from 'pg';
import {
  AgentFull,
  insertChunks,
  swapGeneration,
  type Generation,
  type GenerationFacts,
  type NewChunk,
} from '../generations.js';
import { DocumentProblem } from '../extract/document-problem.js';
import type { Stage } from '../knowledge-base-row.js';
import type { ClaimedDocument } from './claim-documents.js';
import type { NextStep } from './next-step.js';

/** The document is no longer ours: deleted, changed, or taken by another worker after our lease ran out. Nothing is to be said of it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

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

/** A claimed document: all that is written of it is written under its lease and its generation. */
export class HeldDocument {
  stage: Stage | null = null;
  /** 0 to 100. */
  progress = 0;

  constructor(
    readonly claim: ClaimedDocument,
    private readonly pool: Pool,
    private readonly leaseMs: number,
  ) {}

  get place(): Generation {
    const { id, account_id, agent_id, generation } = this.claim;
    return { knowledgeBaseId: id, accountId: account_id, agentId: agent_id, generation };
  }

  /** Tells on the record what is being done. Throws LeaseLost. */
  async enter(stage: Stage, progress: number): Promise<void> {
    Object.assign(this, { stage, progress });
    const kept = await renewDocuments(this.pool, [this], this.leaseMs);
    if (!kept.has(this.claim.id)) throw new LeaseLost();
  }

  /** Throws LeaseLost. */
  async insert(chunks: readonly NewChunk[]): Promise<void> {
    await this.write(async (tx) => {
      if (!(await insertChunks(tx, this.place, chunks))) throw new LeaseLost();
    });
  }

  /** Lets searches see the generation. Throws LeaseLost, and a DocumentProblem when the agent is full. */
  async serve(facts: GenerationFacts): Promise<void> {
    try {
      await this.write(async (tx) => {
        if (!(await swapGeneration(tx, this.place, facts))) throw new LeaseLost();
      });
    } catch (error) {
      throw error instanceof AgentFull ? new DocumentProblem('AGENT_FULL', error.message) : error;
    }
  }

  /** The source is as it was: the generation that is served stays. Throws LeaseLost. */
  async keepServing(validators: { etag: string | null; lastModified: string | null }): Promise<void> {
    const kept = await rows(this.pool, KEEP, [...this.key, validators.etag, validators.lastModified]);
    if (kept.length === 0) throw new LeaseLost();
  }

  /** Ends the try without serving anything; what it wrote is removed. False: the document was no longer ours. */
  async end(step: NextStep): Promise<boolean> {
    const values = [
      step.status,
      step.delayMs ?? null,
      step.problem?.code ?? null,
      step.problem?.processingError ?? null,
    ];
    const ended = await rows(this.pool, END, [...this.key, ...values, step.counts ? 0 : 1]);
    return ended.length > 0;
  }

  /** Runs inside one transaction under the document's lock; everything that writes chunks goes this way. Throws LeaseLost. */
  write(work: (tx: PoolClient) => Promise<void>): Promise<void> {
    return inTransaction(this.pool, async (tx) => {
      const held = await rows(tx, LOCK, this.key);
      if (held.length === 0) throw new LeaseLost();
      await work(tx);
    });
  }

  private get key(): unknown[] {
    return [this.claim.id, this.claim.generation, this.claim.lease_owner];
  }
}

/** Renews the leases of documents and tells of their progress. @returns the ids of those that are still ours. */
export async function renewDocuments(sql: Sql, held: readonly HeldDocument[], leaseMs: number): Promise<Set<number>> {
  const owner = held[0]?.claim.lease_owner;
  if (owner === undefined) return new Set();
  const columns = [
    held.map(({ claim }) => claim.id),
    held.map(({ claim }) => claim.generation),
    held.map(({ stage }) => stage),
    held.map(({ progress }) => Math.round(progress)),
  ];
  const renewed = await rows<{ id: number }>(sql, RENEW, [owner, leaseMs, ...columns]);
  return new Set(renewed.map(({ id }) => id));
}
