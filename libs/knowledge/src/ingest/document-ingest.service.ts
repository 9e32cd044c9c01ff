import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Deadline,
  endSpan,
  type Log,
  runPeriodically,
  type Span,
  startDeadline,
  startSpan,
  UnitsAtWork,
} from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { metrics } from '@app/metrics';
import { CrawlPipelineService } from '../crawl/crawl-pipeline.service.js';
import { DocumentProblem } from '../extract/document-problem.js';
import { INGEST_SETTINGS } from '../tokens.js';
import { MissingVectorsService } from '../vectors/missing-vectors.service.js';
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
}

/**
 * Claims pending documents, accounts in turn, and makes them searchable. Any number of processes may run it; leases and generations
 * keep them apart, and a document whose process died returns to the queue.
 */
@Injectable()
export class DocumentIngestService implements OnModuleInit, OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private readonly settings: IngestSettings;

  constructor(
    private readonly leases: DocumentLeasesService,
    private readonly pipeline: DocumentPipelineService,
    private readonly crawls: CrawlPipelineService,
    private readonly scratch: ScratchFolderService,
    private readonly wakeUps: WakeUpsService,
    private readonly missingVectors: MissingVectorsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(INGEST_SETTINGS) settings?: Partial<IngestSettings>,
  ) {
    this.settings = { ...DEFAULT_INGEST_SETTINGS, ...settings };
  }

  onModuleInit(): void {
    this.scratch.open();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await this.scratch.close();
  }

  /** Returns every running document to the queue and resolves when all work has ended. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Claims the next document and processes it. @returns whether one was due. Rejects if none can be claimed. */
  processNext(): Promise<boolean> {
    return this.units.do(async () => {
      const renewedAt = performance.now();
      const lease = await this.claim();
      if (!lease) return false;
      this.wakeUps.wakeNext('documents');
      await this.begin(lease, renewedAt);
      // A document of an account that was at its limit may be pending, and nothing will announce it again.
      this.wakeUps.wakeNext('documents');
      return true;
    });
  }

  /** Takes documents from processes whose lease expired. */
  async reap(): Promise<void> {
    const { log } = this;
    const reaped = await this.leases.reap();
    for (const { status } of reaped) if (status === 'failed') countFailed();
    for (const document of reaped) log.warn(document, 'a document was taken from a lost worker');
    if (reaped.length > 0) this.wakeUps.wake('documents');
  }

  private async claim(): Promise<DocumentLease | undefined> {
    const { owner } = this;
    const { atOnce, leaseMs } = this.settings;
    const { preferredAccounts } = this.pipeline;
    const perAccount = Math.max(1, atOnce - 1);
    const [lease] = await this.leases.claim({ owner, leaseMs, limit: 1, perAccount, preferredAccounts });
    return lease;
  }

  private async begin(lease: DocumentLease, renewedAt: number): Promise<void> {
    const stop = new AbortController();
    const onStopping = (): void => stop.abort(new Stopping());
    this.units.signal.addEventListener('abort', onStopping);
    if (this.units.isStopping) onStopping();
    const late = () => new DocumentProblem('PROCESSING_TIMEOUT');
    const deadline = startDeadline(this.settings.deadlineMs, stop.signal, late);
    const job: Job = { lease, stop, deadline, renewedAt };
    const renewing = runPeriodically(this.settings.beatMs, () => this.renew(job), this.log);
    try {
      await this.run(job);
    } finally {
      this.units.signal.removeEventListener('abort', onStopping);
      deadline.clear();
      await renewing.stop();
    }
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
      this.missingVectors.announce();
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
        if (over || this.units.isStopping) return false;
        await delay(SETTLE_AGAIN_MS);
      }
    }
  }

  /** A document that cannot be renewed is lost; if the database does not respond, it is lost when its lease expires. */
  private async renew(job: Job): Promise<void> {
    const { lease, stop } = job;
    if (stop.signal.aborted) return;
    const startedAt = performance.now();
    try {
      const renewed = await this.leases.renew([lease], this.settings.leaseMs);
      if (renewed.has(lease.claim.id)) job.renewedAt = startedAt;
      else stop.abort(new LeaseLost());
    } finally {
      if (startedAt - job.renewedAt > this.settings.leaseMs) stop.abort(new LeaseLost());
    }
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
  const { fetch_ms: fetch, wait_ms: wait, read_ms: read, index_ms: index } = report;
  for (const [stage, ms] of Object.entries({ fetch, wait, read, index })) {
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
  const { fetch_ms, wait_ms, read_ms, index_ms } = report ?? {};
  const took = { fetch_ms, wait_ms, read_ms, index_ms };
  const attributes = Object.fromEntries(Object.entries(took).map(([name, ms]) => [`trunkline.document.${name}`, ms]));
  if (report) endSpan(span, { attributes });
  else endSpan(span, { failed: true, attributes: { 'trunkline.document.stage': stage ?? undefined } });
}
