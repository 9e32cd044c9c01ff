import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deadline, type Log, type PeriodicTask, runPeriodically, startDeadline } from '@app/common';
import { LOG, OWNER } from '@app/settings';
import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { DocumentProblem } from '../extract/document-problem.js';
import { INGEST_SETTINGS } from '../tokens.js';
import { countFailed, countProcessed, endDocumentSpan, startDocumentSpan } from './document-metrics.js';
import type { ClaimedDocument } from './document-claims.repository.js';
import { type DocumentLease, DocumentLeases, LeaseLost } from './document-lease.js';
import { DocumentPipeline } from './document-pipeline.js';
import { DEFAULT_INGEST_SETTINGS, type IngestSettings } from './ingest-settings.js';
import { GIVEN_BACK, nextStep, type NextStep } from './next-step.js';
import { ScratchFolder } from './scratch-folder.js';

const SETTLE_AGAIN_MS = 500;

/** The process is about to end: the document goes back to the queue, and the try does not count. */
class Stopping extends Error {}

/** One document at work. */
interface Job {
  lease: DocumentLease;
  /** Its abort is the end of the work, whatever the reason. */
  stop: AbortController;
  deadline: Deadline;
  /** When the database was last asked, with success, to renew the lease; on the clock of this process. */
  renewedAt: number;
  done: Promise<void>;
}

/**
 * Claims waiting documents, accounts in turn, and makes them searchable. Any number of processes may do so; leases and generations
 * keep them apart, and a document whose process died comes back to the queue.
 */
@Injectable()
export class DocumentIngestService implements OnModuleDestroy {
  private readonly jobs = new Set<Job>();
  private readonly settings: IngestSettings;
  private readonly repeating: PeriodicTask[] = [];
  private filling: Promise<void> | undefined;
  private due = false;
  private running = false;
  private failing = false;

  constructor(
    private readonly leases: DocumentLeases,
    private readonly pipeline: DocumentPipeline,
    private readonly scratch: ScratchFolder,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(INGEST_SETTINGS) settings?: Partial<IngestSettings>,
  ) {
    this.settings = { ...DEFAULT_INGEST_SETTINGS, ...settings };
  }

  start(): void {
    const { log } = this;
    const { sweepMs, beatMs, reapMs } = this.settings;
    this.scratch.open();
    this.running = true;
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

  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await this.scratch.close();
  }

  /** Gives every document in hand back to the queue, and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.repeating.map((task) => task.stop()));
    await this.filling;
    for (const { stop } of this.jobs) stop.abort(new Stopping());
    await Promise.all([...this.jobs].map(({ done }) => done));
  }

  private fill(): void {
    if (this.filling || !this.running || !this.due || this.jobs.size >= this.settings.atOnce) return;
    this.filling = this.claim()
      .catch((err: unknown) => this.cannotLook(err))
      .finally(() => {
        this.filling = undefined;
        this.fill();
      });
  }

  private async claim(): Promise<void> {
    this.due = false;
    const { owner } = this;
    const { atOnce, leaseMs } = this.settings;
    const renewedAt = performance.now();
    const limit = atOnce - this.jobs.size;
    const claimed = await this.leases.claim({ owner, leaseMs, limit, perAccount: Math.max(1, atOnce - 1) });
    this.failing = false;
    // Where there was some there may be more.
    if (claimed.length > 0) this.due = true;
    for (const lease of claimed) this.begin(lease, renewedAt);
  }

  private begin(lease: DocumentLease, renewedAt: number): void {
    const stop = new AbortController();
    const late = () => new DocumentProblem('PROCESSING_TIMEOUT');
    const deadline = startDeadline(this.settings.deadlineMs, stop.signal, late);
    const job: Job = { lease, stop, deadline, renewedAt, done: Promise.resolve() };
    this.jobs.add(job);
    if (!this.running) stop.abort(new Stopping());
    job.done = this.run(job).finally(() => {
      deadline.clear();
      this.jobs.delete(job);
      // A document of an account that was at its limit stayed in the database, and no job will come for it.
      this.wake();
    });
  }

  /** Never rejects. */
  private async run(job: Job): Promise<void> {
    const { log } = this;
    const ids = idsOf(job.lease.claim);
    const startedAt = performance.now();
    const span = startDocumentSpan(job.lease.claim);
    log.debug(ids, 'document claimed');
    try {
      const report = await this.pipeline.process(job.lease, job.deadline.signal);
      countProcessed(report);
      endDocumentSpan(span, job.lease, report);
      log.info({ ...ids, ...report, ms: Math.round(performance.now() - startedAt) }, 'document processed');
    } catch (err) {
      endDocumentSpan(span, job.lease);
      const reason: unknown = job.deadline.signal.aborted ? job.deadline.signal.reason : err;
      if (reason instanceof LeaseLost) log.info(ids, 'document dropped: it was deleted, changed or taken over');
      else await this.end(job, reason);
    }
  }

  private async end(job: Job, error: unknown): Promise<void> {
    const { log } = this;
    const ids = idsOf(job.lease.claim);
    const step = error instanceof Stopping ? GIVEN_BACK : nextStep(error, job.lease.claim.attempt);
    const fields = { ...ids, code: step.problem?.code, stage: job.lease.stage, delay_ms: step.delayMs };
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
        return await job.lease.end(step);
      } catch (err) {
        const over = performance.now() - job.renewedAt > this.settings.leaseMs;
        this.log.warn({ ...idsOf(job.lease.claim), err }, 'the end of a document could not be stored');
        if (over || !this.running) return false;
        await delay(SETTLE_AGAIN_MS);
      }
    }
  }

  /** A document that is not renewed is lost; without an answer of the database it counts as lost when its lease is over. */
  private async beat(): Promise<void> {
    const jobs = [...this.jobs].filter(({ stop }) => !stop.signal.aborted);
    if (jobs.length === 0) return;
    const asked = performance.now();
    try {
      const renewed = await this.leases.renew(
        jobs.map(({ lease }) => lease),
        this.settings.leaseMs,
      );
      for (const job of jobs) {
        if (renewed.has(job.lease.claim.id)) job.renewedAt = asked;
        else if (this.jobs.has(job)) job.stop.abort(new LeaseLost());
      }
    } finally {
      for (const { stop, renewedAt } of jobs)
        if (asked - renewedAt > this.settings.leaseMs) stop.abort(new LeaseLost());
    }
  }

  private async reap(): Promise<void> {
    const { log } = this;
    const reaped = await this.leases.reap();
    for (const { status } of reaped) if (status === 'failed') countFailed();
    for (const document of reaped) log.warn(document, 'a document was taken from a worker that was lost');
    if (reaped.length > 0) this.wake();
  }

  private cannotLook(err: unknown): void {
    if (!this.failing) this.log.error({ err }, 'waiting documents cannot be looked for, the next sweep tries again');
    this.failing = true;
  }
}

const idsOf = ({ id, account_id, generation, attempt }: ClaimedDocument) => ({
  knowledge_base_id: id,
  account_id,
  generation,
  attempt,
});
