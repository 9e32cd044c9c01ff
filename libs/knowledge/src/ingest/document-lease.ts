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
  type ReapedDocument,
} from './document-claims.repository.js';
import type { NextStep } from './next-step.js';

/** This process no longer holds the document: it was deleted, changed, or taken over after the lease ran out. Nothing is reported. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Claims documents and renews their leases. */
@Injectable()
export class DocumentLeases {
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

  /** Takes documents from workers whose lease is over. */
  reap(): Promise<ReapedDocument[]> {
    return this.claims.reap(new DocumentProblem('ATTEMPTS_EXHAUSTED', 'Processing stopped the worker three times.'));
  }
}

/** A claimed document: every write on it happens under its lease and its generation. */
export class DocumentLease implements DocumentProgress {
  stage: Stage | null = null;
  /** 0 to 100. */
  progress = 0;

  constructor(
    readonly claim: ClaimedDocument,
    private readonly store: {
      database: Database;
      claims: DocumentClaimsRepository;
      chunks: KnowledgeChunksRepository;
    },
    private readonly leaseMs: number,
  ) {}

  get place(): Generation {
    const { id, account_id, agent_id, generation } = this.claim;
    return { knowledgeBaseId: id, accountId: account_id, agentId: agent_id, generation };
  }

  /** Shows the stage on the record. Throws LeaseLost. */
  async enter(stage: Stage, progress: number): Promise<void> {
    Object.assign(this, { stage, progress });
    const kept = await this.store.claims.renew([this], this.leaseMs);
    if (!kept.has(this.claim.id)) throw new LeaseLost();
  }

  /** Throws LeaseLost. */
  async insert(chunks: readonly NewChunk[]): Promise<void> {
    await this.write(async (tx) => {
      if (!(await this.store.chunks.insert(this.place, chunks, tx))) throw new LeaseLost();
    });
  }

  /** Lets searches see the generation. Throws LeaseLost, and a DocumentProblem when the agent is full. */
  async serve(facts: GenerationFacts): Promise<void> {
    try {
      await this.write(async (tx) => {
        if (!(await this.store.chunks.swap(this.place, facts, tx))) throw new LeaseLost();
      });
    } catch (error) {
      throw error instanceof AgentFull ? new DocumentProblem('AGENT_FULL', error.message) : error;
    }
  }

  /** The source is unchanged: the serving generation stays. Throws LeaseLost. */
  async keepServing(validators: { etag: string | null; lastModified: string | null }): Promise<void> {
    if (!(await this.store.claims.keepServing(this.claim, validators))) throw new LeaseLost();
  }

  /** Ends the try without serving anything; the chunks it wrote are removed. False: the lease is lost. */
  end(step: NextStep): Promise<boolean> {
    return this.store.claims.end(this.claim, step);
  }

  /** Runs in one transaction under the document's lock; every write of chunks goes this way. Throws LeaseLost. */
  write(work: (tx: Sql) => Promise<void>): Promise<void> {
    return this.store.database.transaction(async (tx) => {
      if (!(await this.store.claims.lock(this.claim, tx))) throw new LeaseLost();
      await work(tx);
    });
  }
}
