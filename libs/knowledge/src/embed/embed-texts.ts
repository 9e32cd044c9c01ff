import type { Sql } from '@app/database';
import type { Embedder } from './embedder.js';
import { knownVectors, rememberVectors, type VectorsByHash } from './embedding-cache.js';
import { bytesOf } from './float32.js';

/** Sent to the embedder together (which makes its own batches), then kept: what an outage in the midst of it can cost. */
const PER_ROUND = 128;

/** Texts by the hash of each, in hex; undefined after `embedTexts`: the model does not take it. */
export type TextsByHash = ReadonlyMap<string, string>;

/**
 * Adds the vectors of texts to `into`: those that are known, then those made now, which are remembered as they come. When it
 * throws, `into` has what there was until then. Throws what `Embedder.embed` throws.
 */
export async function embedTexts(
  parts: { embedder: Embedder; sql: Sql; accountId: number },
  texts: TextsByHash,
  into: Map<string, Buffer | undefined>,
  signal: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<void> {
  const { embedder, sql } = parts;
  const scope = { accountId: parts.accountId, model: embedder.model };
  const hashes = [...texts.keys()].map((hex) => Buffer.from(hex, 'hex'));
  for (const [hash, vector] of await knownVectors(sql, scope, hashes)) into.set(hash, vector);
  const missing = [...texts].filter(([hash]) => !into.has(hash));
  for (let from = 0; from < missing.length; from += PER_ROUND) {
    onProgress?.(from / missing.length);
    const round = missing.slice(from, from + PER_ROUND);
    const vectors = await embedder.embed(
      round.map(([, text]) => text),
      signal,
    );
    const made: VectorsByHash = new Map();
    for (const [place, [hash]] of round.entries()) {
      const vector = vectors[place];
      into.set(hash, vector && bytesOf(vector));
      if (vector) made.set(hash, bytesOf(vector));
    }
    await rememberVectors(sql, scope, made);
  }
  onProgress?.(1);
}
