import type { EmbeddingsEnv, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { type EmbeddingModel, EmbeddingQueue, openModel } from '@app/knowledge/embedding-models';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ModelNotLoaded } from './openai-errors.filter.js';

/** The first texts take several times as long as later ones: callers would not wait for them. */
const FIRST_TEXTS = 8;

interface Loaded {
  model: EmbeddingModel;
  queue: EmbeddingQueue;
}

/** The one model of the process, and the queue before it. */
@Injectable()
export class EmbeddingModelService implements OnModuleDestroy {
  private loaded: Loaded | undefined;
  private closing = false;

  constructor(
    @Inject(ENV) private readonly env: EmbeddingsEnv,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Throws ModelUnusable, or the error of the model if it cannot embed a text. */
  async load(): Promise<void> {
    const began = performance.now();
    const model = await openModel(this.env);
    for (let i = 0; i < FIRST_TEXTS; i++) await model.embed('How long do I have to return something?', 'query');
    this.loaded = { model, queue: new EmbeddingQueue(model) };
    const { id, dimensions } = model;
    this.log.info({ model: `${id}@${dimensions}`, ms: Math.round(performance.now() - began) }, 'the model is loaded');
  }

  async onModuleDestroy(): Promise<void> {
    this.closing = true;
    await this.loaded?.queue.close(new ModelNotLoaded('The process ends.'));
    await this.loaded?.model.close();
  }

  /** @throws ModelNotLoaded */
  get current(): Loaded {
    if (this.loaded) return this.loaded;
    throw new ModelNotLoaded('The model is loading.');
  }

  /** Resolves if the loaded model stops by itself; never otherwise. */
  async failure(): Promise<Error> {
    const error = await this.current.model.stopped;
    return error && !this.closing ? error : new Promise(() => undefined);
  }

  /** Why the process is not ready; empty: it is. */
  reasonsNotReady(): string[] {
    return this.loaded ? [] : ['the model is loading'];
  }
}
