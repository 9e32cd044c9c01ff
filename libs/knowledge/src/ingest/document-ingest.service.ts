import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Deadline,
  endSpan,
  type Log,
  type PeriodicTask,
  runPeriodically,
  type Span,
  startDeadline,
  startSpan,
} from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { metrics } from '@app/metrics';
import { CrawlPipelineService } from '../crawl/crawl-pipeline.service.js';
import { DocumentProblem } from '../extract/document-problem.js';
import { INGEST_SETTINGS } from '../tokens.js';
import type { ClaimedDocument } from './document-claims.repository.js';
import { type DocumentLease, DocumentLeasesService, LeaseLost } from './document-leases.service.js';
import {
  DEFAULT_INGEST_SETTINGS,
  DocumentPipelineService,
  type IngestSettings,
  type ProcessReport,
} from './document-pipeline.service.js';
import { nextStep, type NextStep, RETURNED } from './next-step.js';
import { ScratchFolderService } from './scratch-folder.service.js';

const SETTLE_AGAIN_MS = 500;

/** The process is stopping: the document returns to the queue, and the try does not count. */
class Stopping extends Error {}

/** A document that is being processed. */
interface Job {
  lease: DocumentLease;
  /** Aborted to end the work, for any reason. */
  stop: AbortController;
  deadline: Deadline;
  /** Start of the last successful renewal of the lease, on the clock of this process. */
  renewedAt: number;
  done: Promise<void>;
}

/**
 * Claims pending documents, accounts in turn, and makes them searchable. Any number of processes may run it; leases and generations
 * keep them apart, and a document whose process died returns to the queue.
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
    private readonly leases: DocumentLeasesService,
    private readonly pipeline: DocumentPipelineService,
    private readonly crawls: CrawlPipelineService,
    private readonly scratch: ScratchFolderService,
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
    this.reap().catch((err: unknown) => log.warn({ err }, 'expired leases of documents could not be reaped yet'));
    this.repeating.push(
      runPeriodically(sweepMs, () => Promise.resolve(this.wake()), log),
      runPeriodically(beatMs, () => this.renewLeases(), log),
      runPeriodically(reapMs, () => this.reap(), log),
    );
    this.wake();
  }

  /** Called for an announced document: claims now instead of at the next sweep. */
  wake(): void {
    this.due = true;
    this.fill();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await this.scratch.close();
  }

  /** Returns every running document to the queue and resolves when all work has ended. */
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
      .catch((err: unknown) => this.reportClaimFailure(err))
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
    const { preferredAccounts } = this.pipeline;
    const perAccount = Math.max(1, atOnce - 1);
    const claimed = await this.leases.claim({ owner, leaseMs, limit, perAccount, preferredAccounts });
    this.failing = false;
    // There may be more.
    if (claimed.length === limit) this.due = true;
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
      // A document of an account that was at its limit may be pending, and no job will announce it again.
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
      const pipeline = job.lease.claim.crawl ? this.crawls : this.pipeline;
      const report = await pipeline.process(job.lease, job.deadline.signal);
      endDocumentSpan(span, job.lease, report);
      if (report.paused) return log.debug({ ...ids, ...report }, 'crawl returned to the queue with its progress');
      countProcessed(report);
      if (job.lease.claim.refreshing) countRefresh(report.unchanged ? 'unchanged' : 'changed');
      if (report.quality_reason !== undefined)
        log.warn({ ...ids, quality_reason: report.quality_reason }, 'the text of a document looks garbled');
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
    const step = error instanceof Stopping ? RETURNED : nextStep(error, job.lease.claim.attempt);
    if (job.lease.claim.refreshing && step.status === 'failed') this.reportRefresh(ids, step.problem);
    const fields = { ...ids, code: step.problem?.code, stage: job.lease.stage, delay_ms: step.delayMs };
    if (!(error instanceof DocumentProblem) && !(error instanceof Stopping))
      log.error({ ...ids, err: error }, 'a document could not be processed because of an internal error');
    const ended = await this.settle(job, step);
    if (!ended) log.info(ids, 'document dropped: it was deleted, changed or taken over');
    else if (step.status === 'failed') {
      countFailed();
      log.info(fields, 'document failed');
    } else log.info(fields, step.counts ? 'document will be retried' : 'document returned to the queue');
  }

  /** The old generation is still served, so that the status does not show the failure. */
  private reportRefresh(ids: object, problem: DocumentProblem | undefined): void {
    const hasShrunk = problem?.code === 'REFRESH_SHRANK';
    countRefresh(hasShrunk ? 'shrank' : 'failed');
    const fields = { ...ids, code: problem?.code, reason: problem?.sentence };
    if (hasShrunk) this.log.warn(fields, 'a refresh lost more than half of the content and is not served');
    else this.log.warn(fields, 'a refresh failed, the previous content is still served');
  }

  /**
   * Stores the result of a try, with retries while the lease lasts: the database may be the cause. Returns false if
   * the lease is lost.
   */
  private async settle(job: Job, step: NextStep): Promise<boolean> {
    for (;;) {
      try {
        return await job.lease.end(step);
      } catch (err) {
        const over = performance.now() - job.renewedAt > this.settings.leaseMs;
        this.log.warn({ ...idsOf(job.lease.claim), err }, 'the result of a document could not be stored');
        if (over || !this.running) return false;
        await delay(SETTLE_AGAIN_MS);
      }
    }
  }

  /** A document that cannot be renewed is lost; if the database does not respond, it is lost when its lease expires. */
  private async renewLeases(): Promise<void> {
    const jobs = [...this.jobs].filter(({ stop }) => !stop.signal.aborted);
    if (jobs.length === 0) return;
    const startedAt = performance.now();
    try {
      const renewed = await this.leases.renew(
        jobs.map(({ lease }) => lease),
        this.settings.leaseMs,
      );
      for (const job of jobs) {
        if (renewed.has(job.lease.claim.id)) job.renewedAt = startedAt;
        else if (this.jobs.has(job)) job.stop.abort(new LeaseLost());
      }
    } finally {
      for (const { stop, renewedAt } of jobs)
        if (startedAt - renewedAt > this.settings.leaseMs) stop.abort(new LeaseLost());
    }
  }

  private async reap(): Promise<void> {
    const { log } = this;
    const reaped = await this.leases.reap();
    for (const { status } of reaped) if (status === 'failed') countFailed();
    for (const document of reaped) log.warn(document, 'a document was taken from a lost worker');
    if (reaped.length > 0) this.wake();
  }

  private reportClaimFailure(err: unknown): void {
    if (!this.failing) this.log.error({ err }, 'documents could not be claimed, the next sweep tries again');
    this.failing = true;
  }
}

const idsOf = ({ id, account_id, generation, attempt }: ClaimedDocument) => ({
  knowledge_base_id: id,
  account_id,
  generation,
  attempt,
});

/** Records the duration of each stage of a completed document. */
function countProcessed(report: ProcessReport): void {
  const { fetch_ms: fetch, wait_ms: wait, read_ms: read, embed_ms: embed, index_ms: index } = report;
  for (const [stage, ms] of Object.entries({ fetch, wait, read, embed, index })) {
    if (ms !== undefined) metrics.documentStageSeconds.observe({ stage }, ms / 1_000);
  }
  metrics.documentsEnded.inc({ outcome: 'completed' });
}

const countRefresh = (outcome: 'changed' | 'unchanged' | 'failed' | 'shrank'): void =>
  metrics.knowledgeRefreshes.inc({ outcome });

const countFailed = (): void => metrics.documentsEnded.inc({ outcome: 'failed' });

/** Each try is a separate trace: the request that uploaded the document may have ended hours ago. */
const startDocumentSpan = ({ id, account_id, generation, attempt }: ClaimedDocument): Span | undefined =>
  startSpan('document', {
    kind: 'CONSUMER',
    attributes: {
      'trunkline.knowledge_base_id': id,
      'trunkline.account_id': account_id,
      'trunkline.generation': generation,
      'trunkline.attempt': attempt,
    },
  });

/** `report`: undefined if the try failed. */
function endDocumentSpan(span: Span | undefined, { stage }: DocumentLease, report?: ProcessReport): void {
  const { fetch_ms, wait_ms, read_ms, embed_ms, index_ms } = report ?? {};
  const took = { fetch_ms, wait_ms, read_ms, embed_ms, index_ms };
  const attributes = Object.fromEntries(Object.entries(took).map(([name, ms]) => [`trunkline.document.${name}`, ms]));
  if (report) endSpan(span, { attributes });
  else endSpan(span, { failed: true, attributes: { 'trunkline.document.stage': stage ?? undefined } });
}
