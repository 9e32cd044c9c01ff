import type { EmbeddingsEnv, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { type EmbeddingModel, EmbeddingQueue, openModel } from '@app/knowledge/embedding-models';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ModelNotLoaded } from './openai-errors.filter.js';

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

  /** @throws ModelUnusable */
  async load(): Promise<void> {
    const began = performance.now();
    const model = await openModel(this.env);
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
