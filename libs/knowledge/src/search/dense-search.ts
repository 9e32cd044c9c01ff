import type { Log } from '@app/common';
import type { Embedder } from '../embed/embedder.js';
import type { NearChunk, VectorStore, VersionedAgent } from '../vectors/vector-store.js';

/** A caller waits for the answer: an embedder that takes longer is left out of it. */
const QUERY_DEADLINE_MS = 150;

/** The half of a search that goes by meaning: never the reason why a search fails. */
export class DenseSearch {
  constructor(private readonly parts: { embedder: Embedder; store: VectorStore; log: Log }) {}

  /** The query's vector; undefined when there is none in time. */
  async vectorOf(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const deadline = AbortSignal.timeout(QUERY_DEADLINE_MS);
    try {
      return await this.parts.embedder.embedQuery(query, signal ? AbortSignal.any([signal, deadline]) : deadline);
    } catch (error) {
      this.leaveOut(error, signal);
      return undefined;
    }
  }

  async nearest(
    agent: VersionedAgent,
    vector: Float32Array,
    limit: number,
    signal?: AbortSignal,
  ): Promise<NearChunk[]> {
    try {
      return await this.parts.store.nearest(agent, vector, limit, signal);
    } catch (error) {
      this.leaveOut(error, signal);
      return [];
    }
  }

  private leaveOut(error: unknown, signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.parts.log.warn({ err: error }, 'a search goes by words alone');
  }
}
