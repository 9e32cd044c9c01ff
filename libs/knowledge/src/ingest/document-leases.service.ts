import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DocumentProblem } from '../extract/document-problem.js';
import type { Stage } from '../knowledge-base.entity.js';
import {
  AgentFull,
  type Generation,
  type GenerationFacts,
  KnowledgeChunksRepository,
  type NewChunk,
} from '../knowledge-chunks.repository.js';
import {
  type ClaimedDocument,
  type ClaimRequest,
  DocumentClaimsRepository,
  type DocumentProgress,
  FIRST_STAGE,
  type HeldRefresh,
  type ReapedDocument,
} from './document-claims.repository.js';
import type { NextStep } from './next-step.js';

/**
 * This process no longer holds the document: it was deleted, changed, or taken over after the lease expired. Not
 * reported as a failure.
 */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Claims documents and renews their leases. */
@Injectable()
export class DocumentLeasesService {
  constructor(
    private readonly database: Database,
    private readonly claims: DocumentClaimsRepository,
    private readonly chunks: KnowledgeChunksRepository,
  ) {}

  async claim(request: ClaimRequest): Promise<DocumentLease[]> {
    const claimed = await this.claims.claim(request);
    const { database, claims, chunks } = this;
    return claimed.map((claim) => new DocumentLease(claim, { database, claims, chunks }, request.leaseMs));
  }

  /** @returns the ids of the documents that this process still holds. */
  renew(leases: readonly DocumentLease[], leaseMs: number): Promise<Set<number>> {
    return this.claims.renew(leases, leaseMs);
  }

  /** Takes documents from workers whose lease expired. */
  reap(): Promise<ReapedDocument[]> {
    return this.claims.reap(
      new DocumentProblem('ATTEMPTS_EXHAUSTED', 'The worker died three times while processing the document.'),
    );
  }
}

/** A claimed document: every write requires its lease and its generation. */
export class DocumentLease implements DocumentProgress {
  stage: Stage = FIRST_STAGE;
  /** 0 to 100. */
  progress = 0;
  private isStageStored = true;

  constructor(
    readonly claim: ClaimedDocument,
    private readonly store: {
      database: Database;
      claims: DocumentClaimsRepository;
      chunks: KnowledgeChunksRepository;
    },
    private readonly leaseMs: number,
  ) {}

  /** The generation under construction. */
  get place(): Generation {
    const { id, account_id, agent_id, generation, building_generation: building } = this.claim;
    return { knowledgeBaseId: id, accountId: account_id, agentId: agent_id, generation: building ?? generation };
  }

  /** Stores the stage in the row. Throws LeaseLost. */
  async enter(stage: Stage, progress: number): Promise<void> {
    this.proceed(stage, progress);
    if (!(await this.renew())) throw new LeaseLost();
    this.isStageStored = true;
  }

  /** The next write stores the stage, or the next renewal of all leases: a stage of some milliseconds needs no statement of its own. */
  proceed(stage: Stage, progress: number): void {
    Object.assign(this, { stage, progress, isStageStored: false });
  }

  /** Throws LeaseLost. */
  async insert(chunks: readonly NewChunk[]): Promise<void> {
    await this.write(async (tx) => {
      if (!(await this.store.chunks.insert(this.place, chunks, tx))) throw new LeaseLost();
    });
  }

  /** Makes the generation visible to searches. Throws LeaseLost, and a DocumentProblem if the agent has too many passages. */
  async serve(facts: GenerationFacts): Promise<void> {
    try {
      await this.write(async (tx) => {
        if (!(await this.store.chunks.swap(this.place, facts, tx))) throw new LeaseLost();
      });
    } catch (error) {
      throw error instanceof AgentFull ? new DocumentProblem('AGENT_FULL', error.message) : error;
    }
  }

  /** Keeps the complete generation without serving it, with further writes of the transaction. Throws LeaseLost. */
  hold(held: HeldRefresh, also: (tx: Sql) => Promise<void>): Promise<void> {
    return this.write(async (tx) => {
      if (!(await this.store.claims.hold(this.claim, held, tx))) throw new LeaseLost();
      await also(tx);
    });
  }

  /** Keeps the serving generation of an unchanged source. Throws LeaseLost. */
  async keepServing(validators: { etag: string | null; lastModified: string | null }): Promise<void> {
    if (!(await this.store.claims.keepServing(this.claim, validators))) throw new LeaseLost();
  }

  /** Ends the try without a new serving generation and deletes its chunks. Returns false if the lease is lost. */
  end(step: NextStep): Promise<boolean> {
    return this.store.claims.end(this.claim, step);
  }

  /** Returns a crawl to the queue with its progress. Throws LeaseLost. */
  async pause(delayMs: number): Promise<void> {
    if (!(await this.store.claims.pause(this.claim, delayMs))) throw new LeaseLost();
  }

  /** Runs in one transaction with the document's row locked; every write of chunks uses it. Throws LeaseLost. */
  async write(work: (tx: Sql) => Promise<void>): Promise<void> {
    const { isStageStored, stage } = this;
    await this.store.database.transaction(async (tx) => {
      const isHeld = isStageStored ? await this.store.claims.lock(this.claim, tx) : await this.renew(tx);
      if (!isHeld) throw new LeaseLost();
      await work(tx);
    });
    if (this.stage === stage) this.isStageStored = true;
  }

  private async renew(tx?: Sql): Promise<boolean> {
    return (await this.store.claims.renew([this], this.leaseMs, tx)).has(this.claim.id);
  }
}
