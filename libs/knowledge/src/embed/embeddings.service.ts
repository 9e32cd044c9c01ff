import type { EmbeddingsEnv, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { EMBEDDING_RETRIES } from '../tokens.js';
import { openBuiltinEmbedder } from './builtin-embedder.js';
import type { ClosableEmbedder, Embedder } from './embedder.js';
import { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { type EmbeddingSettings, embeddingSettings } from './embedding-settings.js';
import { HttpEmbedder, type RetryPolicy } from './http-embedder.js';
import { openLocalEmbedder } from './local-embedder.js';

/** The embedder of the process; undefined: none is configured, and search is lexical only. */
export interface CurrentEmbedder {
  readonly embedder: Embedder | undefined;
}

/**
 * Owns the configured embedder. Starting needs no network: an endpoint that is down does not prevent a process from starting.
 */
@Injectable()
export class EmbeddingsService implements CurrentEmbedder, OnModuleInit, OnModuleDestroy {
  private opened: ClosableEmbedder | undefined;

  constructor(
    private readonly cache: EmbeddingCacheRepository,
    @Inject(ENV) private readonly env: EmbeddingsEnv,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(EMBEDDING_RETRIES) private readonly retries?: RetryPolicy,
  ) {}

  /** @throws MissingSetting, LocalEmbeddingsUnusable or BuiltinEmbeddingsUnusable. */
  async onModuleInit(): Promise<void> {
    const settings = embeddingSettings(this.env);
    if (!settings) return;
    this.opened = await this.open(settings);
    const { model } = this.opened;
    this.log.info({ provider: settings.provider, model }, 'semantic search of knowledge bases is enabled');
  }

  private async open(settings: EmbeddingSettings): Promise<ClosableEmbedder> {
    if (settings.provider === 'builtin') return openBuiltinEmbedder();
    return settings.provider === 'local' ? openLocalEmbedder(settings) : new HttpEmbedder(settings, this.retries);
  }

  async onModuleDestroy(): Promise<void> {
    await this.opened?.close();
  }

  get embedder(): Embedder | undefined {
    return this.opened;
  }

  /** Deletes expired vectors from the cache. @returns the number of deleted rows. */
  purgeCache(keptRows?: number): Promise<number> {
    return this.cache.purge(keptRows);
  }
}
