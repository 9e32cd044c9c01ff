import { NotFound } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { NearChunk } from '../vectors/vector-store.js';
import { type AgentIndex, placeOf } from './agent-index.js';
import { AgentIndexes } from './agent-indexes.js';
import { DenseSearch } from './dense-search.js';
import {
  type FoundChunk,
  type KnowledgePart,
  KnowledgeSearchRepository,
  MOST_TITLES,
  type SearchedAgent,
} from './knowledge-search.repository.js';
import { queryTerms } from './query-terms.js';
import { distinct, fuse, rank, type RankedChunk } from './ranking.js';

interface SearchOptions {
  /** Answers at most so many, and so many when that many match. */
  limit: number;
  signal?: AbortSignal;
}

/** What an agent can look up, as it was when it was asked for. */
export interface AgentKnowledge {
  /** Of the knowledge bases that searches see; at least one. */
  titles: string[];
  /** All passages in reading order, when they are short enough together for the system prompt. */
  whole?: KnowledgePart[];
}

const QUERY_CHARACTERS = 1_000;

/** With the index of the last search, then with a current one; after that everything is done in one snapshot. */
const TRIES = 2;

/** Below this the system prompt has the whole text, and no search is needed. */
const WHOLE_TEXT_TOKENS = 2_000;
/** Ten characters a token is more than any script needs: longer texts are not even read. */
const WHOLE_TEXT_CHARACTERS = WHOLE_TEXT_TOKENS * 10;

/**
 * Finds passages in an agent's knowledge bases: those that are active, by the generation that serves. By words always (BM25
 * in memory), and by meaning when there is an embedder.
 */
@Injectable()
export class KnowledgeSearchService {
  constructor(
    private readonly repository: KnowledgeSearchRepository,
    private readonly indexes: AgentIndexes,
    private readonly dense: DenseSearch,
  ) {}

  /**
   * The best passages, best first. The first 1,000 characters of the query count. Each answer is of one moment: a knowledge base
   * that changes meanwhile is found as it was or as it is, and a deleted one is not found.
   * @throws the signal's reason.
   */
  async search(agent: SearchedAgent, query: string, { limit, signal }: SearchOptions): Promise<FoundChunk[]> {
    const text = query.slice(0, QUERY_CHARACTERS);
    const vector = await this.dense.vectorOf(text, signal);
    let near: NearChunk[] | undefined;
    const answer = (index: AgentIndex, tx?: Sql): Promise<FoundChunk[] | undefined> =>
      this.repository.passages(agent, index.version, choose(index, text, near, limit), tx);
    for (let tries = 0; tries < TRIES; tries += 1) {
      // Nothing happened since the last search, mostly; that is seen when the passages are read, in the same statement.
      const last = tries === 0 ? this.indexes.last(agent) : undefined;
      const index = last ?? (await this.indexes.current(agent, signal));
      if (vector)
        near = await this.dense.nearest({ ...agent, version: index.version }, vector, candidates(limit), signal);
      const found = await answer(index);
      signal?.throwIfAborted();
      if (found) return found;
    }
    return (await this.indexes.inSnapshot(agent, answer)) ?? [];
  }

  /** For requests: throws NotFound when the account has no such agent. */
  async searchExisting(agent: SearchedAgent, query: string, options: SearchOptions): Promise<FoundChunk[]> {
    if (!(await this.repository.agentExists(agent))) throw new NotFound('Agent');
    return this.search(agent, query, options);
  }

  /** Makes the index of an agent that will soon be searched. */
  async prepare(agent: SearchedAgent, signal?: AbortSignal): Promise<void> {
    await this.indexes.current(agent, signal);
  }

  /** What the agent can look up; undefined: it has no knowledge base, or none that is active and complete. */
  async knowledgeOf(agent: SearchedAgent): Promise<AgentKnowledge | undefined> {
    const bases = await this.repository.titles(agent);
    if (bases.length === 0) return undefined;
    const titles = bases.map(({ title }) => title);
    const characters = bases.reduce((sum, one) => sum + one.character_count, 0);
    const mayBeShort = characters <= WHOLE_TEXT_CHARACTERS && bases.length < MOST_TITLES;
    const whole = mayBeShort ? await this.wholeTextOf(agent) : undefined;
    return { titles, ...(whole && { whole }) };
  }

  private async wholeTextOf(agent: SearchedAgent): Promise<KnowledgePart[] | undefined> {
    const parts = await this.repository.parts(agent);
    const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
    if (tokens >= WHOLE_TEXT_TOKENS) return undefined;
    return parts.map(({ title, headingPath, text }) => ({ title, headingPath, text }));
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
