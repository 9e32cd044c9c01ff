import type { EmbeddingsEnv, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import { EMBEDDING_RETRIES } from '../tokens.js';
import type { Embedder } from './embedder.js';
import { EmbedderRole } from './embedder-role.js';
import { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { embeddingSettings, isRole } from './embedding-settings.js';
import { HttpEmbedder, type RetryPolicy } from './http-embedder.js';

/** The embedder of the process; undefined: none is configured, or the role does not answer, and search is lexical only. */
export interface CurrentEmbedder {
  readonly embedder: Embedder | undefined;
  /** Whether there is an embedder, or will be as soon as the role `embedder` answers; absent: `embedder` says it. */
  readonly isConfigured?: boolean;
}

/**
 * Owns the connection to the configured embedder. No process loads a model itself, and none needs the embedder to start.
 */
@Injectable()
export class EmbeddingsService implements CurrentEmbedder, OnModuleInit, OnModuleDestroy {
  private endpoint: HttpEmbedder | undefined;
  private role: EmbedderRole | undefined;

  constructor(
    private readonly cache: EmbeddingCacheRepository,
    @Inject(ENV) private readonly env: EmbeddingsEnv,
    @Inject(LOG) private readonly log: Log,
    @Optional() @Inject(EMBEDDING_RETRIES) private readonly retries?: RetryPolicy,
  ) {}

  /** @throws MissingSetting. */
  async onModuleInit(): Promise<void> {
    const settings = embeddingSettings(this.env);
    if (!settings) return;
    if (isRole(settings)) {
      this.role = new EmbedderRole(settings.url, this.log, this.retries);
      return this.role.open();
    }
    this.endpoint = new HttpEmbedder(settings, this.retries);
    const { model } = this.endpoint;
    this.log.info({ provider: settings.provider, model }, 'semantic search of knowledge bases is enabled');
  }

  async onModuleDestroy(): Promise<void> {
    await this.endpoint?.close();
    await this.role?.close();
  }

  get embedder(): Embedder | undefined {
    return this.endpoint ?? this.role?.embedder;
  }

  get isConfigured(): boolean {
    return (this.endpoint ?? this.role) !== undefined;
  }

  /** Deletes expired vectors from the cache. @returns the number of deleted rows. */
  purgeCache(keptRows?: number): Promise<number> {
    return this.cache.purge(keptRows);
  }
}
