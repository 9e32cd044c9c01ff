export interface VersionedAgent {
  accountId: number;
  agentId: number;
  /** `agents.knowledge_version` of the search; cached data of another version is not used. */
  version: string;
}

export interface NearChunk {
  /** `knowledge_chunks.id` */
  chunkId: string;
  /** Cosine, -1..1. */
  similarity: number;
}

/**
 * Finds an agent's chunks by the vectors of one model. Only searchable chunks (active knowledge base, serving generation) with a
 * vector of this model are found.
 */
export interface VectorStore {
  /**
   * The nearest chunks, nearest first; fewer than `limit` only if there are fewer.
   * @param query has as many dimensions as the model of the store.
   * @throws the signal's reason.
   */
  nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]>;
}
