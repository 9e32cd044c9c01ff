import type { Log } from '@app/common';
import { LOG } from '@app/settings';
import { Inject, Injectable } from '@nestjs/common';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { ConfiguredVectorStore } from '../vectors/configured-vector-store.js';
import type { NearChunk, VectorStore, VersionedAgent } from '../vectors/vector-store.js';

/** A caller waits for the answer: a slower embedder is left out of it. */
const QUERY_DEADLINE_MS = 150;

/** The half of a search that compares meaning. Its failure never fails the search. */
@Injectable()
export class DenseSearch {
  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    @Inject(ConfiguredVectorStore) private readonly store: VectorStore,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The query's vector; undefined when there is no embedder or no vector in time. */
  async vectorOf(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const { embedder } = this.embeddings;
    if (!embedder) return undefined;
    const deadline = AbortSignal.timeout(QUERY_DEADLINE_MS);
    try {
      return await embedder.embedQuery(query, signal ? AbortSignal.any([signal, deadline]) : deadline);
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
      return await this.store.nearest(agent, vector, limit, signal);
    } catch (error) {
      this.leaveOut(error, signal);
      return [];
    }
  }

  private leaveOut(error: unknown, signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.log.warn({ err: error }, 'a search goes by words alone');
  }
}
