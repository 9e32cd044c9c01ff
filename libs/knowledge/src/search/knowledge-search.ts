import type { Log } from '@app/common';
import type { Sql } from '@app/database';
import type { Pool } from 'pg';
import type { Embedder } from '../embed/embedder.js';
import type { NearChunk, VectorStore } from '../vectors/vector-store.js';
import { type AgentIndex, placeOf } from './agent-index.js';
import { AgentIndexes } from './agent-indexes.js';
import { DenseSearch } from './dense-search.js';
import { distinct } from './distinct.js';
import type { FoundChunk } from './found-chunk.js';
import { fuse } from './fusion.js';
import { readPassages } from './passages.js';
import { queryTerms } from './query-terms.js';
import { rank, type RankedChunk } from './ranking.js';
import type { SearchedAgent } from './visible-chunks.js';

export type { SearchedAgent };

export interface SearchOptions {
  /** Answers at most so many, and so many when that many match. */
  limit: number;
  signal?: AbortSignal;
}

export const QUERY_CHARACTERS = 1_000;

/** With the index of the last search, then with a current one; after that everything is done in one snapshot. */
const TRIES = 2;

export interface KnowledgeSearchParts {
  pool: Pool;
  log: Log;
  /** For indexes in memory: about 1 KB per chunk. */
  cacheBytes: number;
  /** By meaning, too. The store is that of the embedder's model. */
  dense?: { embedder: Embedder; store: VectorStore };
}

/**
 * Finds passages in an agent's knowledge bases: those that are active, by the generation that serves. By words always (BM25
 * in memory), and by meaning when there is an embedder. One per process.
 */
export class KnowledgeSearch {
  private readonly indexes: AgentIndexes;
  private readonly dense: DenseSearch | undefined;

  constructor(private readonly parts: KnowledgeSearchParts) {
    this.indexes = new AgentIndexes(parts);
    this.dense = parts.dense && new DenseSearch({ ...parts.dense, log: parts.log });
  }

  /**
   * The best passages, best first. Of the query 1,000 characters count. Each answer is of one moment: a knowledge base that
   * changes meanwhile is found as it was or as it is, and one that is gone is not found.
   * @throws the signal's reason.
   */
  async search(agent: SearchedAgent, query: string, { limit, signal }: SearchOptions): Promise<FoundChunk[]> {
    const text = query.slice(0, QUERY_CHARACTERS);
    const vector = await this.dense?.vectorOf(text, signal);
    let near: NearChunk[] | undefined;
    const answer = (index: AgentIndex, sql: Sql): Promise<FoundChunk[] | undefined> =>
      readPassages(sql, agent, index.version, choose(index, text, near, limit));
    for (let tries = 0; tries < TRIES; tries += 1) {
      // Nothing happened since the last search, mostly; that is seen when the passages are read, in the same statement.
      const last = tries === 0 ? this.indexes.last(agent) : undefined;
      const index = last ?? (await this.indexes.current(agent, signal));
      if (vector)
        near = await this.dense?.nearest({ ...agent, version: index.version }, vector, candidates(limit), signal);
      const found = await answer(index, this.parts.pool);
      signal?.throwIfAborted();
      if (found) return found;
    }
    return (await this.indexes.inSnapshot(agent, answer)) ?? [];
  }

  /** Makes the index of an agent that will soon be searched. */
  async prepare(agent: SearchedAgent, signal?: AbortSignal): Promise<void> {
    await this.indexes.current(agent, signal);
  }

  /** Ends what is being built. */
  close(): Promise<void> {
    return this.indexes.close();
  }
}

/** More than are asked for: some will say the same as others. */
const candidates = (limit: number): number => limit * 2 + 20;

function choose(index: AgentIndex, query: string, near: NearChunk[] | undefined, limit: number): RankedChunk[] {
  const terms = queryTerms(index, query);
  const dense = near?.flatMap(({ chunkId }) => placeOf(index, Number(chunkId)) ?? []);
  for (let most = candidates(limit); ; most *= 4) {
    const lexical = rank(index, terms, most);
    const chosen = distinct(dense ? fuse(lexical, dense) : lexical, limit);
    if (chosen.length === limit || lexical.length < most) return chosen;
  }
}
