import type { Env, Log } from '@app/common';
import { type KnowledgeSearch, openKnowledgeSearch, type OpenSearch } from '@app/knowledge';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Pool } from 'pg';

/** The search of this process, with the embedder it owns when one is configured. */
@Injectable()
export class ApiSearch implements OnModuleDestroy {
  private constructor(private readonly opened: OpenSearch) {}

  /** @throws MissingSetting or LocalEmbeddingsUnusable. */
  static async open(env: Env, log: Log, pool: Pool): Promise<ApiSearch> {
    return new ApiSearch(await openKnowledgeSearch({ env, log, pool }));
  }

  get search(): KnowledgeSearch {
    return this.opened.search;
  }

  onModuleDestroy(): Promise<void> {
    return this.opened.close();
  }
}
