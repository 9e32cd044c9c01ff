import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { runPeriodically, startDeadline, type Deadline, type Log, type PeriodicTask } from '@app/common';
import type { Pool } from 'pg';
import { DocumentProblem } from '../extract/document-problem.js';
import { countFailed, countProcessed } from './count-documents.js';
import { claimDocuments, reapDocuments, type ClaimedDocument } from './claim-documents.js';
import { endDocumentSpan, startDocumentSpan } from './document-span.js';
import { HeldDocument, LeaseLost, renewDocuments } from './held-document.js';
import { GIVEN_BACK, nextStep, type NextStep } from './next-step.js';
import { processDocument, type ProcessParts } from './process-document.js';

export interface IngestOptions extends ProcessParts {
  pool: Pool;
  log: Log;
  /** Names the process in leases; new at every start. */
  owner: string;
  /** Documents in hand at once; more than there are readers, since fetching and embedding is waiting. */
  atOnce: number;
  leaseMs?: number;
  /** Looks for waiting documents this often, whatever jobs come. */
  sweepMs?: number;
  /** Renews leases and stores progress. */
  beatMs?: number;
  /** Looks for leases that are over. */
  reapMs?: number;
  /** For one try of one document. */
  deadlineMs?: number;
}

const SETTLE_AGAIN_MS = 500;

/** The process is about to end: the document goes back to the line, and the try does not count. */
class Stopping extends Error {}

/** One document at work. */
interface Job {
  held: HeldDocument;
  /** Its abort is the end of the work, whatever the reason. */
  stop: AbortController;
  deadline: Deadline;
  /** When the database was last asked, with success, to renew the lease; on the clock of this process. */
  renewedAt: number;
  done: Promise<void>;
}

/**
 * Takes waiting documents from the database, as many as it may and every account in its turn, and makes them searchable. Any number
 * of processes may do so; leases and generations keep them apart, and a document whose process died comes back to the line.
 */
export class Ingest {
  private readonly jobs = new Set<Job>();
  private readonly leaseMs: number;
  private readonly repeating: PeriodicTask[] = [];
  private filling: Promise<void> | undefined;
  private due = false;
  private stopped = false;
  private failing = false;

  constructor(private readonly options: IngestOptions) {
    this.leaseMs = options.leaseMs ?? 60_000;
  }

  start(): void {
    const { log, sweepMs = 1_000, beatMs = 1_000, reapMs = 5_000 } = this.options;
    this.reap().catch((err: unknown) => log.warn({ err }, 'lost documents cannot be looked for yet'));
    this.repeating.push(
      runPeriodically(sweepMs, () => Promise.resolve(this.wake()), log),
      runPeriodically(beatMs, () => this.beat(), log),
      runPeriodically(reapMs, () => this.reap(), log),
    );
    this.wake();
  }

  /** A document was announced: looks for it now instead of at the next sweep. */
  wake(): void {
    this.due = true;
    this.fill();
  }

  /** Gives every document in hand back to the line, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.repeating.map((task) => task.stop()));
    await this.filling;
    for (const { stop } of this.jobs) stop.abort(new Stopping());
    await Promise.all([...this.jobs].map(({ done }) => done));
  }

  private fill(): void {
    if (this.filling || this.stopped || !this.due || this.jobs.size >= this.options.atOnce) return;
    this.filling = this.claim()
      .catch((err: unknown) => this.cannotLook(err))
      .finally(() => {
        this.filling = undefined;
        this.fill();
      });
  }

  private async claim(): Promise<void> {
    this.due = false;
    const { pool, owner, atOnce } = this.options;
    const renewedAt = performance.now();
    const limit = atOnce - this.jobs.size;
    const claimed = await claimDocuments(pool, {
      owner,
      leaseMs: this.leaseMs,
      limit,
      perAccount: Math.max(1, atOnce - 1),
    });
    this.failing = false;
    // Where there was some there may be more.
    if (claimed.length > 0) this.due = true;
    for (const claim of claimed) this.begin(claim, renewedAt);
  }

  private begin(claim: ClaimedDocument, renewedAt: number): void {
    const stop = new AbortController();
    const late = () => new DocumentProblem('PROCESSING_TIMEOUT');
    const deadline = startDeadline(this.options.deadlineMs ?? 300_000, stop.signal, late);
    const held = new HeldDocument(claim, this.options.pool, this.leaseMs);
    const job: Job = { held, stop, deadline, renewedAt, done: Promise.resolve() };
    this.jobs.add(job);
    if (this.stopped) stop.abort(new Stopping());
    job.done = this.run(job).finally(() => {
      deadline.clear();
      this.jobs.delete(job);
      // The next one of an account that had as many as it may was left in the database, and no job will come for it.
      this.wake();
    });
  }

  /** Never rejects. */
  private async run(job: Job): Promise<void> {
    const { log } = this.options;
    const ids = idsOf(job.held.claim);
    const startedAt = performance.now();
    const span = startDocumentSpan(job.held.claim);
    log.debug(ids, 'document claimed');
    try {
      const report = await processDocument(this.options, job.held, job.deadline.signal);
      countProcessed(report);
      endDocumentSpan(span, job.held, report);
      log.info({ ...ids, ...report, ms: Math.round(performance.now() - startedAt) }, 'document processed');
    } catch (err) {
      endDocumentSpan(span, job.held);
      const reason: unknown = job.deadline.signal.aborted ? job.deadline.signal.reason : err;
      if (reason instanceof LeaseLost) log.info(ids, 'document dropped: it was deleted, changed or taken over');
      else await this.end(job, reason);
    }
  }

  private async end(job: Job, error: unknown): Promise<void> {
    const { log } = this.options;
    const ids = idsOf(job.held.claim);
    const step = error instanceof Stopping ? GIVEN_BACK : nextStep(error, job.held.claim.attempt);
    const fields = { ...ids, code: step.problem?.code, stage: job.held.stage, delay_ms: step.delayMs };
    if (!(error instanceof DocumentProblem) && !(error instanceof Stopping))
      log.error({ ...ids, err: error }, 'a document could not be processed for reasons of our own');
    const ended = await this.settle(job, step);
    if (!ended) log.info(ids, 'document dropped: it was deleted, changed or taken over');
    else if (step.status === 'failed') {
      countFailed();
      log.info(fields, 'document failed');
    } else log.info(fields, step.counts ? 'document will be tried again' : 'document given back');
  }

  /** Stores what came of a try, again and again while the lease lasts: the database may be what failed. False: lost. */
  private async settle(job: Job, step: NextStep): Promise<boolean> {
    for (;;) {
      try {
        return await job.held.end(step);
      } catch (err) {
        const over = performance.now() - job.renewedAt > this.leaseMs;
        this.options.log.warn({ ...idsOf(job.held.claim), err }, 'the end of a document could not be stored');
        if (over || this.stopped) return false;
        await delay(SETTLE_AGAIN_MS);
      }
    }
  }

  /** Whoever is not renewed has lost its document, or does not know for so long that it must be assumed. */
  private async beat(): Promise<void> {
    const jobs = [...this.jobs].filter(({ stop }) => !stop.signal.aborted);
    if (jobs.length === 0) return;
    const asked = performance.now();
    try {
      const renewed = await renewDocuments(
        this.options.pool,
        jobs.map(({ held }) => held),
        this.leaseMs,
      );
      for (const job of jobs) {
        if (renewed.has(job.held.claim.id)) job.renewedAt = asked;
        else if (this.jobs.has(job)) job.stop.abort(new LeaseLost());
      }
    } finally {
      for (const { stop, renewedAt } of jobs) if (asked - renewedAt > this.leaseMs) stop.abort(new LeaseLost());
    }
  }

  private async reap(): Promise<void> {
    const { pool, log } = this.options;
    const { code, processingError } = new DocumentProblem(
      'ATTEMPTS_EXHAUSTED',
      'Processing stopped the worker three times.',
    );
    const reaped = await reapDocuments(pool, { code, processingError });
    for (const { status } of reaped) if (status === 'failed') countFailed();
    for (const document of reaped) log.warn(document, 'a document was taken from a worker that was lost');
    if (reaped.length > 0) this.wake();
  }

  private cannotLook(err: unknown): void {
    if (!this.failing)
      this.options.log.error({ err }, 'waiting documents cannot be looked for, the next sweep tries again');
    this.failing = true;
  }
}

const idsOf = ({ id, account_id, generation, attempt }: ClaimedDocument) => ({
  knowledge_base_id: id,
  account_id,
  generation,
  attempt,
});
