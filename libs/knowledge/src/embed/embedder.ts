/** Turns texts into vectors of one length, 1 long each, so that their dot product is their cosine similarity. */
export interface Embedder {
  /** Name and dimensions, `text-embedding-3-small@1536`: stored with each vector, and vectors are only compared within one. */
  readonly model: string;
  readonly dimensions: number;
  /**
   * Passages, in the order given; any number of them, sent in batches and with repetitions. Undefined is a text that the model
   * does not take (too long for it, or answered without a direction): asking again would not help.
   * @throws EmbeddingsUnavailable when it may work later, EmbeddingsRefused when it will not, or the signal's reason.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
  /** One question, tried once. Throws as `embed` does. */
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array>;
}

/** An embedder with the connections or the model it owns. */
export interface ClosableEmbedder extends Embedder {
  close(): Promise<void>;
}

/** No vector now; the same request may get one later. */
export class EmbeddingsUnavailable extends Error {
  override readonly name = 'EmbeddingsUnavailable';
  readonly code = 'EMBEDDINGS_UNAVAILABLE';
}

/** The embedder does not take what it is sent: the settings or the model must change first. */
export class EmbeddingsRefused extends Error {
  override readonly name = 'EmbeddingsRefused';
  readonly code = 'EMBEDDINGS_REFUSED';
}
