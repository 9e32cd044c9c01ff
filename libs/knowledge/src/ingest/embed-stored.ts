import type { Log } from '@app/common';
import { rows } from '@app/database';
import type { Pool } from 'pg';
import { embedChunks } from '../embed/embed-chunks.js';
import type { Embedder } from '../embed/embedder.js';
import type { NewChunk } from '../generations.js';
import type { VectorIndex } from '../vectors/vector-index.js';
import type { HeldDocument } from './held-document.js';

export interface EmbedParts {
  pool: Pool;
  log: Log;
  /** Absent: search goes by words. */
  vectors?: { embedder: Embedder; index: Pick<VectorIndex, 'add'> } | undefined;
}

/** In memory at once, about 1 MB of text and vectors. */
const BATCH = 256;
/** What has no vector by then is found by its words, and gets its vector later. Leaves the rest of the five minutes to the swap. */
const EMBEDDING_MS = 150_000;

const READ = {
  name: 'chunks-to-embed',
  text: `SELECT ordinal, text, heading_path FROM knowledge_chunks
    WHERE knowledge_base_id = $1 AND generation = $2 AND ordinal >= $3 ORDER BY ordinal LIMIT ${BATCH}`,
};
const STORE = {
  name: 'store-embeddings',
  text: `UPDATE knowledge_chunks c SET embedding = e.embedding, embedding_model = e.model
      FROM unnest($3::integer[], $4::bytea[], $5::text[]) AS e(ordinal, embedding, model)
     WHERE c.knowledge_base_id = $1 AND c.generation = $2 AND c.ordinal = e.ordinal`,
};

type StoredChunk = Pick<NewChunk, 'ordinal' | 'text'> & { heading_path: string[] };

/**
 * Adds the vectors to chunks that are stored already: while the embedder is waited for, no reader is kept from the next document.
 * @returns how many chunks have no vector. Throws LeaseLost, the signal's reason, or errors of the database.
 */
export async function embedStored(
  parts: EmbedParts,
  held: HeldDocument,
  total: number,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<number> {
  if (!parts.vectors) return total;
  const { pool, log, vectors } = parts;
  const { knowledgeBaseId, generation, accountId } = held.place;
  const { embedder, index } = vectors;
  const deadline = AbortSignal.timeout(EMBEDDING_MS);
  let without = 0;
  for (let from = 0; from < total && !deadline.aborted; from += BATCH) {
    const stored = await rows<StoredChunk>(pool, READ, [knowledgeBaseId, generation, from]);
    const chunks = stored.map(({ heading_path, ...chunk }) => ({ ...chunk, headingPath: heading_path }) as NewChunk);
    without += await embedChunks({ embedder, sql: pool, log, accountId, knowledgeBaseId, deadline }, chunks, signal);
    await store(
      held,
      chunks.filter(({ embedding }) => embedding),
    );
    onProgress(Math.min(1, (from + BATCH) / total));
  }
  await index.add({ knowledgeBaseId, generation });
  return without;
}

async function store(held: HeldDocument, chunks: readonly NewChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  const { knowledgeBaseId, generation } = held.place;
  const columns = [
    chunks.map(({ ordinal }) => ordinal),
    chunks.map(({ embedding }) => embedding),
    chunks.map(({ embeddingModel }) => embeddingModel),
  ];
  await held.write(async (tx) => void (await rows(tx, STORE, [knowledgeBaseId, generation, ...columns])));
}
