import type { Log } from '@app/common';
import type { Pool } from 'pg';
import type { FoundChunk } from './found-chunk.js';

export interface SearchedAgent {
  accountId: number;
  agentId: number;
}

export interface SearchOptions {
  /** Answers at most so many, and so many when that many match. */
  limit: number;
  signal?: AbortSignal;
}

/** Finds passages in an agent's knowledge bases. One per process. */
export class KnowledgeSearch {
  constructor(private readonly parts: { pool: Pool; log: Log; cacheBytes: number }) {}

  /** The best passages for a query of at most 1,000 characters, best first. */
  search(_agent: SearchedAgent, _query: string, options: SearchOptions): Promise<FoundChunk[]> {
    this.parts.log.warn('the index of knowledge bases is not there yet');
    options.signal?.throwIfAborted();
    return Promise.resolve([]);
  }
}
