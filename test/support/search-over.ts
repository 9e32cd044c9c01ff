import { createLog, loadEnv, type Log } from '@app/common';
import { RecordExistenceRepository } from '@app/database';
import {
  AgentIndexCacheService,
  DenseSearchService,
  type Embedder,
  KnowledgeSearchRepository,
  KnowledgeSearchService,
  type VectorStore,
} from '@app/knowledge';
import type { Pool } from 'pg';
import { databaseOver } from './database-over.js';

const MB = 1_048_576;

export interface SearchOver {
  search: KnowledgeSearchService;
  close(): Promise<void>;
}

/** The search of one process on the pool of a test, optionally with an embedder and a vector store of the test. */
export function searchOver(
  pool: Pool,
  given: { log?: Log; cacheBytes?: number; dense?: { embedder: Embedder; store: VectorStore } } = {},
): SearchOver {
  const { log = createLog({ level: 'silent', role: 'test' }), cacheBytes = 64 * MB, dense } = given;
  const database = databaseOver(pool);
  const repository = new KnowledgeSearchRepository(database);
  const indexes = new AgentIndexCacheService(repository, { ...loadEnv({}), KNOWLEDGE_CACHE_MB: cacheBytes / MB }, log);
  const store = dense?.store ?? { nearest: () => Promise.resolve([]) };
  const search = new KnowledgeSearchService(
    repository,
    indexes,
    new DenseSearchService({ embedder: dense?.embedder }, store, log),
    new RecordExistenceRepository(database),
  );
  return { search, close: () => indexes.onModuleDestroy() };
}
