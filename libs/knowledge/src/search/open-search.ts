import type { EmbeddingsEnv, Log } from '@app/common';
import type { Pool } from 'pg';
import { openEmbedder } from '../embed/open-embedder.js';
import { openVectorStore } from '../vectors/open-vector-store.js';
import { KnowledgeSearch } from './knowledge-search.js';

const MB = 1024 * 1024;

export interface OpenSearch {
  search: KnowledgeSearch;
  /** Gives back the connections to the embedder. */
  close(): Promise<void>;
}

/** The one search of a process: by words, and by meaning too when the environment names an embedder. Throws as openEmbedder does. */
export async function openKnowledgeSearch(parts: {
  env: EmbeddingsEnv & { KNOWLEDGE_CACHE_MB: number };
  pool: Pool;
  log: Log;
}): Promise<OpenSearch> {
  const { pool, log } = parts;
  const cacheBytes = parts.env.KNOWLEDGE_CACHE_MB * MB;
  const embedder = await openEmbedder(parts);
  if (!embedder) return { search: new KnowledgeSearch({ pool, log, cacheBytes }), close: () => Promise.resolve() };
  // Words take about as much as vectors of 384 dimensions.
  const half = Math.floor(cacheBytes / 2);
  const store = await openVectorStore({ pool, log, embedder, cacheBytes: half });
  const search = new KnowledgeSearch({ pool, log, cacheBytes: half, dense: { embedder, store } });
  return { search, close: () => embedder.close() };
}
