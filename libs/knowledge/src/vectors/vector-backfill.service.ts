import { type Log, runPeriodically, UnitsAtWork } from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { EmbeddingsRefused, EmbeddingsUnavailable } from '../embed/embedder.js';
import { embeddedText, EmbeddingsService, hashOf } from '../embed/embeddings.service.js';
import { BACKFILL_TIMES } from '../tokens.js';
import {
  type Backfill,
  type BackfillLease,
  type ChunkWithoutVector,
  VectorBackfillRepository,
} from './vector-backfill.repository.js';
import { VectorIndexService } from './vector-index.service.js';

interface BackfillTimes {
  leaseMs: number;
  /** Pause after a failure of the embedder. */
  pauseMs: number;
}

const TIMES: BackfillTimes = { leaseMs: 60_000, pauseMs: 15_000 };

/**
 * Adds missing vectors of the configured model: after an outage of the embedder, and for all chunks after a change of the model.
 * Serving generation and status stay the same; each batch is stored, so that the next worker continues after a crash. Any number of
 * workers may run it.
 */
@Injectable()
export class VectorBackfillService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private readonly times: BackfillTimes;
  private readonly lease: BackfillLease;
  private pausedUntil = 0;
  /** The indexes were checked since the start of the process, which may be an upgrade. */
  private hasIndexes = false;

  constructor(
    private readonly repository: VectorBackfillRepository,
    private readonly embeddings: EmbeddingsService,
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

  /** Aborts the running work; another worker continues it. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Completes the vectors of the next knowledge base, if there is an embedder. @returns whether some were missing */
  completeNext(): Promise<boolean> {
    return this.units.do(async () => {
      const model = this.embeddings.embedder?.model;
      if (model === undefined) return false;
      const work = Date.now() < this.pausedUntil ? undefined : await this.repository.claim(model, this.lease);
      if (work) {
        this.wakeUps.wakeNext('vectors');
        await this.complete(work, model);
      }
      if ((work || !this.hasIndexes) && !this.units.isStopping) {
        await this.index.ensure();
        this.hasIndexes = true;
      }
      return work !== undefined;
    });
  }

  private async complete(work: Backfill, model: string): Promise<void> {
    const lost = new AbortController();
    const renewing = runPeriodically(this.lease.leaseMs / 3, () => this.renew(work, lost), this.log);
    try {
      const added = await this.embedMissing(work, model, AbortSignal.any([this.units.signal, lost.signal]));
      await this.index.add({ knowledgeBaseId: work.id, generation: work.serving });
      await this.repository.finish(work, this.lease.owner, model);
      if (added > 0) this.log.info({ knowledge_base_id: work.id, added, model }, 'vectors are complete');
    } catch (error) {
      await this.giveUp(work, error, lost.signal.aborted);
    } finally {
      await renewing.stop();
    }
  }

  private async renew(work: Backfill, lost: AbortController): Promise<void> {
    if (await this.repository.renew(work, this.lease)) return;
    lost.abort(new Error('The knowledge base has a new generation or another worker, or was deleted.'));
  }

  /** @returns the number of chunks that had no vector. */
  private async embedMissing(work: Backfill, model: string, signal: AbortSignal): Promise<number> {
    let added = 0;
    for (let after = -1; ;) {
      const batch = await this.repository.chunksWithout(work, model, after);
      const last = batch.at(-1);
      if (!last) return added;
      const done = batch[0]?.ordinal ?? 0;
      const percent = Math.min(99, Math.floor((100 * done) / Math.max(1, work.chunk_count)));
      await this.repository.showProgress(work, this.lease.owner, percent);
      await this.embedBatch(work, model, batch, signal);
      added += batch.length;
      after = last.ordinal;
    }
  }

  private async embedBatch(
    work: Backfill,
    model: string,
    batch: ChunkWithoutVector[],
    signal: AbortSignal,
  ): Promise<void> {
    const texts = batch.map((row) => embeddedText({ headingPath: row.heading_path, text: row.text }));
    const hashes = texts.map(hashOf);
    const keys = hashes.map((hash) => hash.toString('hex'));
    const vectors = new Map<string, Buffer | undefined>();
    const byHash = new Map(keys.map((key, i) => [key, texts[i] ?? '']));
    await this.embeddings.embedTexts(work.account_id, byHash, vectors, signal);
    signal.throwIfAborted();
    const embeddings = keys.map((key) => vectors.get(key) ?? null);
    await this.repository.storeVectors(work.account_id, model, { ids: batch.map(({ id }) => id), hashes, embeddings });
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
