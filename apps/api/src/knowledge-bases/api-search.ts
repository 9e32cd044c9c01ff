import type { Env, Log } from '@app/common';
import { KnowledgeSearch, type OpenEmbedder, openEmbedder, openVectorStore } from '@app/knowledge';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Pool } from 'pg';

const MB = 1_048_576;

/** The search of this process, with the embedder it owns when one is configured. */
@Injectable()
export class ApiSearch implements OnModuleDestroy {
  private constructor(
    readonly search: KnowledgeSearch,
    private readonly embedder: OpenEmbedder | undefined,
  ) {}

  /** @throws MissingSetting or LocalEmbeddingsUnusable. */
  static async open(env: Env, log: Log, pool: Pool): Promise<ApiSearch> {
    const cacheBytes = env.KNOWLEDGE_CACHE_MB * MB;
    const embedder = await openEmbedder({ env, log });
    if (!embedder) return new ApiSearch(new KnowledgeSearch({ pool, log, cacheBytes }), undefined);
    const store = await openVectorStore({ pool, log, embedder, cacheBytes });
    return new ApiSearch(new KnowledgeSearch({ pool, log, cacheBytes, dense: { embedder, store } }), embedder);
  }

  async onModuleDestroy(): Promise<void> {
    await this.embedder?.close();
  }
}
