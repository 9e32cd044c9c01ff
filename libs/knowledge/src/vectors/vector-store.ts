import type { AgentOfAccount } from '@app/common';

export interface VersionedAgent extends AgentOfAccount {
  /** Restricts the search to these knowledge bases; null or absent: all of the agent. */
  knowledgeBaseIds?: readonly number[] | null;
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
 * Finds the chunks of an agent's own and shared knowledge bases by the vectors of one model. Only searchable chunks (active knowledge
 * base, serving generation) with a vector of this model are found.
 */
export interface VectorStore {
  /**
   * The nearest chunks, nearest first; fewer than `limit` only if there are fewer.
   * @param query has as many dimensions as the model of the store.
   * @throws the signal's reason.
   */
  nearest(agent: VersionedAgent, query: Float32Array, limit: number, signal?: AbortSignal): Promise<NearChunk[]>;
}
