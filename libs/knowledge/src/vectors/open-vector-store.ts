import type { Log } from '@app/common';
import type { Pool } from 'pg';
import type { Embedder } from '../embed/embedder.js';
import { pgvectorIsReady } from './pgvector-schema.js';
import { PgvectorStore } from './pgvector-store.js';
import { PlainVectorStore } from './plain-store.js';
import type { VectorStore } from './vector-store.js';

export interface VectorStoreParts {
  pool: Pool;
  log: Log;
  /** Whose vectors are compared. */
  embedder: Pick<Embedder, 'model' | 'dimensions'>;
  /** For the vectors that this process keeps when the database has no pgvector. */
  cacheBytes: number;
}

/** pgvector when a worker has made its table, else the plain store; chosen once, when a process starts. */
export async function openVectorStore({ pool, log, embedder, cacheBytes }: VectorStoreParts): Promise<VectorStore> {
  const { model, dimensions } = embedder;
  const store = (await pgvectorIsReady(pool)) ? 'pgvector' : 'plain';
  log.info({ store, model }, 'vectors are compared');
  if (store === 'pgvector') return new PgvectorStore({ pool, model, dimensions });
  return new PlainVectorStore({ sql: pool, log, model, dimensions, cacheBytes });
}
