export interface VersionedAgent {
  accountId: number;
  agentId: number;
  /** `agents.knowledge_version` as the search saw it; what was remembered for another one is not used. */
  version: string;
}

export interface NearChunk {
  /** `knowledge_chunks.id` */
  chunkId: string;
  /** Cosine, -1..1. */
  similarity: number;
}

/**
 * Finds an agent's chunks by the vectors of one model: those that a search may find (the knowledge base is active, and the
 * chunk's generation is the one that serves) and that have a vector of this model.
 */
export interface VectorStore {
  /**
   * The nearest chunks, nearest first: `limit` of them whenever there are as many.
   * @param query has as many dimensions as the model of the store.
   * @throws the signal's reason.
   */
  nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]>;
}
