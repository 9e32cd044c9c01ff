import { runPeriodically, type Log, type PeriodicTask } from '@app/common';
import { rows } from '@app/database';
import type { Pool } from 'pg';
import { embedTexts } from '../embed/embed-texts.js';
import { embeddedText, hashOf } from '../embed/embedded-text.js';
import { EmbeddingsRefused, EmbeddingsUnavailable, type Embedder } from '../embed/embedder.js';
import {
  claimBackfill,
  finishBackfill,
  releaseBackfill,
  renewBackfill,
  tellBackfill,
  type Backfill,
  type BackfillLease,
} from './backfill-leases.js';
import type { VectorIndex } from './vector-index.js';

export interface BackfillParts {
  pool: Pool;
  log: Log;
  embedder: Embedder;
  index: VectorIndex;
  /** Names the process in leases; new at every start. */
  owner: string;
  /** Looks for work this often. */
  everyMs?: number;
  leaseMs?: number;
  /** After an embedder that does not work. */
  pauseMs?: number;
}

const PER_BATCH = 128;

const WITHOUT = {
  name: 'chunks-without-vectors',
  text: `SELECT id, ordinal, text, heading_path FROM knowledge_chunks
    WHERE knowledge_base_id = $1 AND generation = $2 AND ordinal > $4 AND embedding_model IS DISTINCT FROM $3
    ORDER BY ordinal LIMIT ${PER_BATCH}`,
};
const STORE = {
  name: 'store-vectors',
  text: `UPDATE knowledge_chunks c SET hash = made.hash, embedding = made.embedding, embedding_model = $2
    FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS made (id, hash, embedding)
    WHERE c.id = made.id AND c.account_id = $1`,
};

interface ChunkRow {
  id: string;
  ordinal: number;
  text: string;
  heading_path: string[];
}

/**
 * Gives vectors to chunks that have none of the configured model: after an outage of the embedder, and all of them when the model
 * was changed. What is served stays served, the status stays as it is; each batch is stored, so that whoever takes over after a
 * crash goes on from there. Any number of workers may run it.
 */
export class VectorBackfill {
  private readonly stopping = new AbortController();
  private readonly lease: BackfillLease;
  private readonly repeating: PeriodicTask;
  private pausedUntil = 0;

  constructor(private readonly parts: BackfillParts) {
    this.lease = { owner: parts.owner, leaseMs: parts.leaseMs ?? 60_000 };
    this.repeating = runPeriodically(parts.everyMs ?? 1_000, () => this.round(), parts.log);
  }

  /** Ends what is under way, which another worker goes on with. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The process is stopping.'));
    await this.repeating.stop();
  }

  /** Everything there is to do now. */
  private async round(): Promise<void> {
    const { pool, embedder } = this.parts;
    let worked = false;
    while (!this.stopping.signal.aborted && Date.now() >= this.pausedUntil) {
      const work = await claimBackfill(pool, embedder.model, this.lease);
      if (!work) break;
      await this.complete(work);
      worked = true;
    }
    if (worked && !this.stopping.signal.aborted) await this.parts.index.ensure();
  }

  private async complete(work: Backfill): Promise<void> {
    const { pool, embedder, index, log, owner } = this.parts;
    const lost = new AbortController();
    const renewing = runPeriodically(this.lease.leaseMs / 3, () => this.renew(work, lost), log);
    try {
      const added = await this.embedMissing(work, AbortSignal.any([this.stopping.signal, lost.signal]));
      await index.add({ knowledgeBaseId: work.id, generation: work.serving });
      await finishBackfill(pool, work, owner, embedder.model);
      if (added > 0) log.info({ knowledge_base_id: work.id, added, model: embedder.model }, 'vectors are complete');
    } catch (error) {
      await this.giveUp(work, error, lost.signal.aborted);
    } finally {
      await renewing.stop();
    }
  }

  private async renew(work: Backfill, lost: AbortController): Promise<void> {
    if (await renewBackfill(this.parts.pool, work, this.lease)) return;
    lost.abort(new Error('The knowledge base has a new generation, another worker, or is gone.'));
  }

  /** @returns how many chunks were without. */
  private async embedMissing(work: Backfill, signal: AbortSignal): Promise<number> {
    const { pool, embedder, owner } = this.parts;
    let added = 0;
    for (let after = -1; ;) {
      const values = [work.id, work.serving, embedder.model, after];
      const batch = await rows<ChunkRow & Record<string, unknown>>(pool, WITHOUT, values);
      const last = batch.at(-1);
      if (!last) return added;
      const done = batch[0]?.ordinal ?? 0;
      await tellBackfill(pool, work, owner, Math.min(99, Math.floor((100 * done) / Math.max(1, work.chunk_count))));
      await this.embedBatch(work, batch, signal);
      added += batch.length;
      after = last.ordinal;
    }
  }

  private async embedBatch(work: Backfill, batch: ChunkRow[], signal: AbortSignal): Promise<void> {
    const { pool, embedder } = this.parts;
    const texts = batch.map((row) => embeddedText({ headingPath: row.heading_path, text: row.text }));
    const hashes = texts.map(hashOf);
    const keys = hashes.map((hash) => hash.toString('hex'));
    const vectors = new Map<string, Buffer | undefined>();
    const byHash = new Map(keys.map((key, i) => [key, texts[i] ?? '']));
    await embedTexts({ embedder, sql: pool, accountId: work.account_id }, byHash, vectors, signal);
    signal.throwIfAborted();
    const embeddings = keys.map((key) => vectors.get(key) ?? null);
    await rows(pool, STORE, [work.account_id, embedder.model, batch.map(({ id }) => id), hashes, embeddings]);
  }

  private async giveUp(work: Backfill, error: unknown, lost: boolean): Promise<void> {
    const embedderFailed = error instanceof EmbeddingsUnavailable || error instanceof EmbeddingsRefused;
    // A fault of another kind keeps its lease until that ends, so that the others have their turn.
    if (!embedderFailed && !lost && !this.stopping.signal.aborted) throw error;
    await releaseBackfill(this.parts.pool, work, this.parts.owner);
    if (!embedderFailed) return;
    const pauseMs = this.parts.pauseMs ?? 15_000;
    this.pausedUntil = Date.now() + pauseMs;
    this.parts.log.warn({ err: error, pause_ms: pauseMs }, 'vectors cannot be had; knowledge is found by its words');
  }
}
