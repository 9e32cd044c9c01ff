import { type Log, runPeriodically, UnitsAtWork } from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { EmbeddingsRefused, EmbeddingsUnavailable } from '../embed/embedder.js';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { BACKFILL_TIMES } from '../tokens.js';
import { embeddedText, hashOf } from './embedded-text.js';
import { PassageVectorsService } from './passage-vectors.service.js';
import { VectorAnnouncementsService } from './vector-announcements.service.js';
import {
  type Backfill,
  type BackfillLease,
  CHUNKS_PER_UNIT,
  VectorBackfillRepository,
} from './vector-backfill.repository.js';
import { VectorIndexService } from './vector-index.service.js';

interface BackfillTimes {
  leaseMs: number;
  /** Pause after a failure of the embedder. */
  pauseMs: number;
}

/** Until the next look for an embedder that does not answer yet. */
const UNKNOWN_MS = 1_000;

const TIMES: BackfillTimes = { leaseMs: 20_000, pauseMs: 15_000 };

/**
 * Adds the vectors of passages that searches find by their words already: of new documents, after an outage of the embedder, and of all
 * documents after a change of the model. Serving generation and status stay the same. A unit is one batch of one document; a killed
 * worker loses the batch that it was embedding. Any number of workers may run it.
 */
@Injectable()
export class VectorBackfillService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private readonly times: BackfillTimes;
  private readonly lease: BackfillLease;
  private pausedUntil = 0;
  private lastAccount = 0;
  /** The model whose predecessors' documents were made due since the start of the process. */
  private marked: string | undefined;
  /** The model whose indexes were checked since the start of the process, which may be an upgrade. */
  private indexed: string | undefined;

  constructor(
    private readonly repository: VectorBackfillRepository,
    private readonly announcements: VectorAnnouncementsService,
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly passages: PassageVectorsService,
    private readonly index: VectorIndexService,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) owner: string,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(BACKFILL_TIMES) times?: Partial<BackfillTimes>,
  ) {
    this.times = { ...TIMES, ...times };
    this.lease = { owner, leaseMs: this.times.leaseMs };
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Aborts the running unit; another worker does it again. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Adds the next batch of vectors, if there is an embedder. @returns whether some were missing */
  completeNext(): Promise<boolean> {
    return this.units.do(async () => {
      const { embedder, isConfigured = false } = this.embeddings;
      // The role has just been started, and documents were uploaded already.
      if (!embedder && isConfigured) this.wakeUps.wakeNext('vectors', UNKNOWN_MS);
      if (!embedder || Date.now() < this.pausedUntil) return false;
      const { model } = embedder;
      const work = await this.claim(model);
      if (!work) {
        await this.announcements.announceAll();
        await this.ensureIndexes(model);
        return false;
      }
      this.wakeUps.wakeNext('vectors');
      this.lastAccount = work.account_id;
      if (await this.complete(work, model)) {
        await this.announcements.completed({ accountId: work.account_id, agentId: work.agent_id });
        this.indexed = undefined;
      } else await this.announcements.announceDue();
      return true;
    });
  }

  private async claim(model: string): Promise<Backfill | undefined> {
    const next = () => this.repository.claim(model, this.lease, this.lastAccount);
    if (this.marked !== model) await this.markStale(model);
    // A worker with the earlier model may have completed documents since.
    return (await next()) ?? ((await this.markStale(model)) ? next() : undefined);
  }

  /** @returns whether there were complete documents of another model. */
  private async markStale(model: string): Promise<boolean> {
    let marked = 0;
    for (let more = await this.repository.markStale(model); more > 0; more = await this.repository.markStale(model))
      marked += more;
    this.marked = model;
    return marked > 0;
  }

  /** Not between units: an index of many vectors takes minutes. */
  private async ensureIndexes(model: string): Promise<void> {
    if (this.indexed === model || this.units.isStopping) return;
    await this.index.ensure();
    this.indexed = model;
  }

  /** @returns whether the vectors of the document are complete. */
  private async complete(work: Backfill, model: string): Promise<boolean> {
    const lost = new AbortController();
    const renewing = runPeriodically(this.lease.leaseMs / 3, () => this.renew(work, lost), this.log);
    try {
      if (await this.embedBatch(work, model, AbortSignal.any([this.units.signal, lost.signal]))) return false;
      await this.index.add({ knowledgeBaseId: work.id, generation: work.serving });
      const isComplete = await this.repository.finish(work, this.lease.owner, model);
      if (isComplete) this.log.info({ knowledge_base_id: work.id, model }, 'vectors are complete');
      return isComplete;
    } catch (error) {
      await this.giveUp(work, error, lost.signal.aborted);
      return false;
    } finally {
      await renewing.stop();
    }
  }

  private async renew(work: Backfill, lost: AbortController): Promise<void> {
    if (await this.repository.renew(work, this.lease)) return;
    lost.abort(new Error('The knowledge base has a new generation or another worker, or was deleted.'));
  }

  /** @returns whether passages of the document are left for further units. */
  private async embedBatch(work: Backfill, model: string, signal: AbortSignal): Promise<boolean> {
    const chunks = await this.repository.chunksWithout(work, model);
    if (chunks.length === 0) return false;
    const texts = chunks.map(embeddedText);
    const vectors = await this.passages.vectorsOf({ accountId: work.account_id, model }, texts, signal);
    signal.throwIfAborted();
    const last = chunks[vectors.length - 1];
    if (!last) return false;
    const made = {
      ids: chunks.slice(0, vectors.length).map(({ id }) => id),
      hashes: texts.slice(0, vectors.length).map(hashOf),
      embeddings: vectors.map((vector) => vector ?? null),
      last: last.ordinal,
    };
    const isOver = vectors.length < chunks.length || chunks.length === CHUNKS_PER_UNIT;
    await this.repository.storeVectors(work, { owner: this.lease.owner, model, isOver }, made);
    // The rest is added at the end; parts of a long document are visible before.
    const range = {
      knowledgeBaseId: work.id,
      generation: work.serving,
      after: work.vectors_ordinal,
      upTo: last.ordinal,
    };
    if (isOver) await this.index.add(range);
    return isOver;
  }

  private async giveUp(work: Backfill, error: unknown, lost: boolean): Promise<void> {
    const embedderFailed = error instanceof EmbeddingsUnavailable || error instanceof EmbeddingsRefused;
    // After any other error the lease is kept until it expires, so that other knowledge bases are processed first.
    if (!embedderFailed && !lost && !this.units.isStopping) throw error;
    await this.repository.release(work, this.lease.owner);
    if (!embedderFailed) return;
    this.pausedUntil = Date.now() + this.times.pauseMs;
    const fields = { err: error, pause_ms: this.times.pauseMs };
    this.log.warn(fields, 'the embedder failed; chunks without vectors are found by lexical search only');
  }
}
