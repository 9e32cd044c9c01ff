import { setImmediate as yieldLoop } from 'node:timers/promises';
import type { Log } from '@app/common';
import type { Sql } from '@app/database';
import type { NewChunk } from '../generations.js';
import { embedTexts } from './embed-texts.js';
import { embeddedText, hashOf } from './embedded-text.js';
import { EmbeddingsRefused, EmbeddingsUnavailable, type Embedder } from './embedder.js';

export interface ChunkEmbedding {
  /** Absent: only the hashes are filled in. */
  embedder: Embedder | undefined;
  sql: Sql;
  log: Log;
  accountId: number;
  knowledgeBaseId: number;
  /** Ends the embedding without failing: what has no vector by then gets it later. One per document. */
  deadline?: AbortSignal;
}

/** Hashing 500 chunks takes about 3 ms. */
const HASHED_AT_ONCE = 500;

/**
 * Fills hash, vector and model of chunks; what is unchanged keeps its vector. A document does not fail for want of vectors:
 * when the embedder cannot be had, chunks stay without, are found by their words, and `VectorBackfill` adds the vectors when it is
 * back. Throws the signal's reason and errors of the database only. @param onProgress gets 0..1.
 * @returns how many chunks have no vector.
 */
export async function embedChunks(
  parts: ChunkEmbedding,
  chunks: readonly NewChunk[],
  signal: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<number> {
  const texts = await hashAll(chunks);
  const { embedder } = parts;
  if (!embedder) return chunks.length;
  const vectors = new Map<string, Buffer | undefined>();
  await embedAsFarAsPossible({ ...parts, embedder }, texts, vectors, signal, onProgress);
  let without = 0;
  for (const chunk of chunks) {
    const hash = chunk.hash?.toString('hex') ?? '';
    if (!vectors.has(hash)) without++;
    else Object.assign(chunk, { embedding: vectors.get(hash), embeddingModel: embedder.model });
  }
  return without;
}

async function hashAll(chunks: readonly NewChunk[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [place, chunk] of chunks.entries()) {
    if (place % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await yieldLoop();
    const text = embeddedText(chunk);
    chunk.hash = hashOf(text);
    texts.set(chunk.hash.toString('hex'), text);
  }
  return texts;
}

async function embedAsFarAsPossible(
  parts: ChunkEmbedding & { embedder: Embedder },
  texts: ReadonlyMap<string, string>,
  into: Map<string, Buffer | undefined>,
  signal: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<void> {
  const { deadline, log, knowledgeBaseId } = parts;
  const either = deadline ? AbortSignal.any([signal, deadline]) : signal;
  try {
    await embedTexts(parts, texts, into, either, onProgress);
  } catch (err) {
    signal.throwIfAborted();
    const embedderFailed = err instanceof EmbeddingsUnavailable || err instanceof EmbeddingsRefused;
    if (!embedderFailed && !deadline?.aborted) throw err;
    const fields = { err, knowledge_base_id: knowledgeBaseId, chunks: texts.size, embedded: into.size };
    log.warn(fields, 'chunks are indexed by their words for now; their vectors follow');
  }
}
