import { metrics } from '@app/metrics';
import { setImmediate } from 'node:timers/promises';
import type { TextKind } from '../embed/wire-formats.js';
import { type EmbeddingModel, ModelStopped } from './embedding-model.js';
import { InvalidRequest } from './embeddings-request.js';

/** Texts that may wait; further requests are refused. Half a minute of passages at 15 a second, and more questions than have time to wait. */
const MAX_WAITING: Readonly<Record<TextKind, number>> = { query: 64, passage: 512 };
/** Until a text was measured. */
const FIRST_GUESS_MS = 50;

/** There is no place for the texts of a request. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many texts wait for the model. Try again in ${retryAfterSeconds} s.`);
  }
}

/** The model fails with one of the texts, and will fail with it again. */
class TextRejected extends InvalidRequest {
  constructor(cause: unknown) {
    super('The model rejects a text.', 'input', 422, 'text_rejected');
    this.cause = cause;
  }
}

interface Job {
  kind: TextKind;
  texts: readonly string[];
  vectors: Float32Array[];
  since: number;
  resolve: (vectors: Float32Array[]) => void;
  reject: (reason: unknown) => void;
}

/**
 * Gives the model one text at a time, questions first: a question waits for one passage at most, however many texts a request has.
 * Requests of the same kind are done in the order of their arrival.
 */
export class EmbeddingQueue {
  private readonly jobs: Record<TextKind, Job[]> = { query: [], passage: [] };
  private readonly waiting: Record<TextKind, number> = { query: 0, passage: 0 };
  private working: Promise<void> | undefined;
  private textMs = FIRST_GUESS_MS;

  constructor(
    private readonly model: Pick<EmbeddingModel, 'embed'>,
    private readonly mostWaiting = MAX_WAITING,
  ) {}

  /** The vectors of the texts of a request. @throws QueueFull, TextRejected, ModelStopped, or the signal's reason. */
  vectors(texts: readonly string[], kind: TextKind, signal: AbortSignal): Promise<Float32Array[]> {
    signal.throwIfAborted();
    if (texts.length === 0) return Promise.resolve([]);
    if (this.waiting[kind] + texts.length > this.mostWaiting[kind]) {
      metrics.embedderRefused.inc({ kind });
      throw new QueueFull(Math.max(1, Math.ceil((this.waiting[kind] * this.textMs) / 1_000)));
    }
    return new Promise((resolve, reject) => {
      const job: Job = { kind, texts, vectors: [], since: performance.now(), resolve, reject };
      this.jobs[kind].push(job);
      this.count(kind, texts.length);
      // A client that has gone does not need the rest.
      signal.addEventListener('abort', () => this.end(job, () => reject(signal.reason)), { once: true });
      this.working ??= this.work();
    });
  }

  /** Ends all requests. Resolves when the model does nothing more. */
  async close(reason: Error): Promise<void> {
    for (const job of Object.values(this.jobs).flat()) this.end(job, () => job.reject(reason));
    await this.working;
  }

  private async work(): Promise<void> {
    for (let job = this.next(); job; job = this.next()) {
      await this.embedNext(job);
      // Requests that arrived in the meantime are read before the next text is chosen.
      await setImmediate();
    }
    this.working = undefined;
  }

  private next(): Job | undefined {
    return this.jobs.query[0] ?? this.jobs.passage[0];
  }

  private async embedNext(job: Job): Promise<void> {
    const began = performance.now();
    try {
      const vector = await this.model.embed(job.texts[job.vectors.length]!, job.kind);
      job.vectors.push(vector);
    } catch (error) {
      return this.end(job, () => job.reject(error instanceof ModelStopped ? error : new TextRejected(error)));
    }
    this.textMs += (performance.now() - began - this.textMs) / 16;
    if (!this.jobs[job.kind].includes(job)) return;
    this.count(job.kind, -1);
    metrics.embedderSeconds.observe({ kind: job.kind }, (performance.now() - job.since) / 1_000);
    if (job.vectors.length === job.texts.length) this.end(job, () => job.resolve(job.vectors));
  }

  /** Does nothing if the job has ended. */
  private end(job: Job, how: () => void): void {
    const jobs = this.jobs[job.kind];
    const place = jobs.indexOf(job);
    if (place < 0) return;
    jobs.splice(place, 1);
    this.count(job.kind, job.vectors.length - job.texts.length);
    how();
  }

  private count(kind: TextKind, texts: number): void {
    this.waiting[kind] += texts;
    metrics.embedderWaiting.set({ kind }, this.waiting[kind]);
  }
}
