/** Turns texts into unit vectors of the same dimension, so that their dot product is their cosine similarity. */
export interface Embedder {
  /**
   * Name and dimensions, `text-embedding-3-small@1536`: stored with each vector; only vectors of the same model are
   * compared.
   */
  readonly model: string;
  readonly dimensions: number;
  /**
   * Embeds any number of passages in batches, with retries; the result has the order of the texts. Undefined marks a text that
   * the model does not accept (too long, or its vector is zero): a retry would not help.
   * @throws EmbeddingsUnavailable if a later attempt may succeed, EmbeddingsRefused if not, or the signal's reason.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
  /** Embeds one question without retries; undefined: the model does not accept it. Throws like `embed`. */
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined>;
}

/** An embedder that owns its connections or its model. */
export interface ClosableEmbedder extends Embedder {
  close(): Promise<void>;
}

/** The embedder is temporarily unavailable; the same request may succeed later. */
export class EmbeddingsUnavailable extends Error {
  override readonly name = 'EmbeddingsUnavailable';
  readonly code = 'EMBEDDINGS_UNAVAILABLE';
}

/** Nothing is sent for now, because the embedder failed recently. */
export class EmbeddingsPaused extends EmbeddingsUnavailable {}

/** The embedder rejects the request: the settings or the model must be changed first. */
export class EmbeddingsRefused extends Error {
  override readonly name = 'EmbeddingsRefused';
  readonly code = 'EMBEDDINGS_REFUSED';
}

/** The stored form of a vector: float32, little endian, without a header. Node.js runs on little-endian machines only. */
export const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** The vector of stored bytes, as a copy: a row's buffer may begin at an address that is not a multiple of four. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(bytes.byteLength >> 2);
  bytesOf(vector).set(bytes.subarray(0, vector.byteLength));
  return vector;
}

/** Normalises a vector in place. @returns undefined for a zero vector or one with values that are not finite. */
export function normalise(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * scale;
  return vector;
}
