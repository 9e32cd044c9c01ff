import type { EmbeddingsEnv, Log } from '@app/common';
import type { Pool } from 'pg';
import { openEmbedder } from '../embed/open-embedder.js';
import { openVectorStore } from '../vectors/open-vector-store.js';
import { KnowledgeSearch } from './knowledge-search.js';

const MB = 1024 * 1024;

export interface OpenSearch {
  search: KnowledgeSearch;
  /** Ends the indexes that are being built, and gives back the connections to the embedder. */
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
  // Words take about as much as vectors of 384 dimensions.
  const half = Math.floor(cacheBytes / 2);
  const dense = embedder && { embedder, store: await openVectorStore({ pool, log, embedder, cacheBytes: half }) };
  const search = new KnowledgeSearch({ pool, log, cacheBytes: dense ? half : cacheBytes, ...(dense && { dense }) });
  const close = async (): Promise<void> => {
    await search.close();
    await embedder?.close();
  };
  return { search, close };
}
