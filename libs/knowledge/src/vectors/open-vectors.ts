import type { EmbeddingsEnv, Log } from '@app/common';
import type { Pool } from 'pg';
import type { Embedder } from '../embed/embedder.js';
import { openEmbedder } from '../embed/open-embedder.js';
import type { Patience } from '../embed/http-embedder.js';
import { VectorBackfill } from './vector-backfill.js';
import { VectorIndex } from './vector-index.js';

/** What a worker has for vectors. */
export interface OpenVectors {
  /** For the documents that are ingested. */
  embedder: Embedder;
  /** What a generation is added to before it is served. */
  index: VectorIndex;
  /** Ends the backfill, which another worker goes on with, and closes the connections. */
  close(): Promise<void>;
}

export interface OpenVectorsParts {
  env: EmbeddingsEnv;
  pool: Pool;
  log: Log;
  /** Names the process in leases; new at every start. */
  owner: string;
  patience?: Patience;
}

/**
 * Opens the embedder of the environment and begins to complete vectors that are missing; undefined: none is configured.
 * @throws MissingSetting or LocalEmbeddingsUnusable.
 */
export async function openVectors(parts: OpenVectorsParts): Promise<OpenVectors | undefined> {
  const { pool, log, owner } = parts;
  const embedder = await openEmbedder(parts);
  if (!embedder) return undefined;
  const index = await VectorIndex.open(pool, embedder, log).catch(async (error: unknown) => {
    await embedder.close();
    throw error;
  });
  const backfill = new VectorBackfill({ pool, log, embedder, index, owner });
  return {
    embedder,
    index,
    close: async () => {
      await backfill.stop();
      await embedder.close();
    },
  };
}
