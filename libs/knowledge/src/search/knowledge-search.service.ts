import { type FieldErrors, InvalidFields, type Log, NotFound, referenceProblem } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { RecordExistenceRepository, type Sql } from '@app/database';
import { metrics } from '@app/metrics';
import { EmbeddingsPaused, EmbeddingsRefused } from '../embed/embedder.js';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { ConfiguredVectorStoreService } from '../vectors/configured-vector-store.service.js';
import type { NearChunk, VectorStore, VersionedAgent } from '../vectors/vector-store.js';
import { type AgentIndex, placeOf } from './agent-index.js';
import { AgentIndexCacheService } from './agent-index-cache.service.js';
import {
  type FoundChunk,
  type KnowledgePart,
  KnowledgeSearchRepository,
  MAX_TITLES,
  type SearchedAgent,
} from './knowledge-search.repository.js';
import { languageName } from '../chunk/text-language.js';
import { queryTerms } from './query-terms.js';
import { distinct, fuse, NEAREST, rank } from './ranking.js';
import { type RankedPassage, withNeighbours } from './table-rows.js';

/** A caller waits for the result: without a vector in this time, the search is lexical only. */
const QUERY_DEADLINE_MS = 150;

/** The semantic half of a search. Its failure never fails the search. */
@Injectable()
export class DenseSearchService {
  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    @Inject(ConfiguredVectorStoreService) private readonly store: VectorStore,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The vectors of the queries; without those that are not available in time, none without an embedder. */
  async vectorsOf(queries: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const { embedder } = this.embeddings;
    if (!embedder) {
      if (this.embeddings.isConfigured) metrics.knowledgeFallbacks.inc({ cause: 'unavailable' });
      return [];
    }
    const deadline = AbortSignal.timeout(QUERY_DEADLINE_MS);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const vectors = queries.map(async (query) => {
      try {
        return (await embedder.embedQuery(query, either)) ?? [];
      } catch (error) {
        this.fallBack(error, signal, deadline.aborted ? 'late' : causeOf(error));
        return [];
      }
    });
    return (await Promise.all(vectors)).flat();
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
      this.fallBack(error, signal, 'store');
      return [];
    }
  }

  private fallBack(error: unknown, signal: AbortSignal | undefined, cause: FallbackCause): void {
    signal?.throwIfAborted();
    metrics.knowledgeFallbacks.inc({ cause });
    // What led to a pause was logged before it.
    const level = error instanceof EmbeddingsPaused ? 'debug' : 'warn';
    this.log[level]({ err: error, cause }, 'semantic search failed, the results are lexical only');
  }
}

/** Why a question is searched by words alone: no vector in time, an embedder that does not answer or refuses, or the vector store. */
type FallbackCause = 'late' | 'unavailable' | 'refused' | 'store';

const causeOf = (error: unknown): FallbackCause => (error instanceof EmbeddingsRefused ? 'refused' : 'unavailable');

interface SearchOptions {
  /** Number of results; fewer only if fewer match. */
  limit: number;
  signal?: AbortSignal;
}

/** The searchable knowledge of an agent at the time of the call. */
export interface AgentKnowledge {
  /** Titles of the searchable knowledge bases; at least one. */
  titles: string[];
  /** English names of their languages, the most frequent first, as far as they are known. */
  languages: string[];
  /** All passages in reading order, if they are short enough for the system prompt. */
  whole?: KnowledgePart[];
}

const QUERY_CHARACTERS = 1_000;
export const QUERIES_PER_SEARCH = 3;

/** First with the cached index, then with a current one; after that, everything is read in one snapshot. */
const TRIES = 2;

/** Below this, the system prompt contains the whole text and no search is needed. */
const WHOLE_TEXT_TOKENS = 2_000;
/** No script has ten characters per token: longer texts need not be read. */
const WHOLE_TEXT_CHARACTERS = WHOLE_TEXT_TOKENS * 10;

/**
 * Finds passages in the serving generations of an agent's active knowledge bases: lexically (BM25 in memory), and semantically if
 * an embedder is configured.
 */
@Injectable()
export class KnowledgeSearchService {
  constructor(
    private readonly repository: KnowledgeSearchRepository,
    private readonly indexes: AgentIndexCacheService,
    private readonly dense: DenseSearchService,
    private readonly existence: RecordExistenceRepository,
  ) {}

  /**
   * The best passages for up to three wordings of a question, best first; a passage need not match all of them. Uses the first 1,000
   * characters of each. All results belong to one version: a knowledge base
   * that changes concurrently is found in its old or new state, and a deleted one is not found.
   * @throws the signal's reason.
   */
  async search(
    agent: SearchedAgent,
    queries: readonly string[],
    { limit, signal }: SearchOptions,
  ): Promise<FoundChunk[]> {
    if (agent.knowledgeBaseIds?.length === 0) return [];
    const texts = queries.slice(0, QUERIES_PER_SEARCH).map((query) => query.slice(0, QUERY_CHARACTERS));
    const vectors = await this.dense.vectorsOf(texts, signal);
    let near: NearChunk[][] = [];
    const among = agent.knowledgeBaseIds ? new Set(agent.knowledgeBaseIds) : undefined;
    const answer = (index: AgentIndex, tx?: Sql): Promise<FoundChunk[] | undefined> =>
      this.repository.passages(agent, index.version, choose(index, texts, { near, limit, among }), tx);
    for (let tries = 0; tries < TRIES; tries += 1) {
      // The cached index is usually current; the statement that reads the passages verifies it.
      const last = tries === 0 ? this.indexes.last(agent) : undefined;
      const index = last ?? (await this.indexes.current(agent, signal));
      const versioned = { ...agent, version: index.version };
      near = await Promise.all(vectors.map((one) => this.dense.nearest(versioned, one, candidates(limit), signal)));
      const found = await answer(index);
      signal?.throwIfAborted();
      if (found) return found;
    }
    return (await this.indexes.inSnapshot(agent, answer)) ?? [];
  }

  /**
   * Like `search`, but throws NotFound if the agent does not exist in the account, and InvalidFields on `knowledge_base_ids.<index>` for
   * knowledge bases that it does not have or that are inactive.
   */
  async searchExisting(
    agent: SearchedAgent,
    queries: readonly string[],
    options: SearchOptions,
  ): Promise<FoundChunk[]> {
    if (!(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
    await this.requireKnowledge(agent);
    return this.search(agent, queries, options);
  }

  /** Throws InvalidFields on `knowledge_base_ids.<index>` for knowledge bases that the agent does not have or that are inactive. */
  async requireKnowledge(agent: SearchedAgent): Promise<void> {
    const { knowledgeBaseIds: ids } = agent;
    if (!ids || ids.length === 0) return;
    const active = await this.repository.activeAmong(agent, ids);
    const problems: FieldErrors = {};
    for (const [index, id] of ids.entries()) {
      const problem = referenceProblem('knowledge base', id, active.get(id) ?? null, 'agent');
      if (problem) problems[`knowledge_base_ids.${index}`] = [problem];
    }
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
  }

  /** Builds the index of an agent ahead of its first search. */
  async prepare(agent: SearchedAgent, signal?: AbortSignal): Promise<void> {
    await this.indexes.current(agent, signal);
  }

  /** The searchable knowledge of the agent; undefined if it has no active and complete knowledge base, or none is selected. */
  async knowledgeOf(agent: SearchedAgent): Promise<AgentKnowledge | undefined> {
    const bases = await this.repository.titles(agent);
    if (bases.length === 0) return undefined;
    const titles = bases.map(({ title }) => title);
    const characters = bases.reduce((sum, one) => sum + one.character_count, 0);
    const mayBeShort = characters <= WHOLE_TEXT_CHARACTERS && bases.length < MAX_TITLES;
    const whole = mayBeShort ? await this.wholeTextOf(agent) : undefined;
    return { titles, languages: languagesOf(bases), ...(whole && { whole }) };
  }

  private async wholeTextOf(agent: SearchedAgent): Promise<KnowledgePart[] | undefined> {
    const parts = await this.repository.parts(agent);
    const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
    if (tokens >= WHOLE_TEXT_TOKENS) return undefined;
    return parts.map(({ title, headingPath, text }) => ({ title, headingPath, text }));
  }
}

function languagesOf(bases: { language: string | null }[]): string[] {
  const counts = new Map<string, number>();
  for (const { language } of bases) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([language]) => languageName(language));
}

/** More than requested, because duplicates are removed and rows of a table share a passage. */
export const candidates = (limit: number): number => Math.max(NEAREST, limit * 2 + 20);

/** The best passages for some wordings of a question, lexically and by the vectors near them. */
export function choose(
  index: AgentIndex,
  queries: readonly string[],
  { near, limit, among }: { near: NearChunk[][]; limit: number; among?: ReadonlySet<number> },
): RankedPassage[] {
  const terms = queryTerms(index, queries);
  const dense = near.map((ofQuery) =>
    ofQuery.flatMap(({ chunkId, similarity }) => {
      const place = placeOf(index, Number(chunkId));
      return place ? [{ ...place, similarity }] : [];
    }),
  );
  for (let most = candidates(limit); ; most *= 4) {
    const lexical = rank(index, terms, most, { among, also: dense.flat() });
    const chosen = withNeighbours(distinct(fuse(lexical, dense), Infinity), limit);
    // All chunks with a word of the question come before the first without.
    const isComplete = (lexical[most - 1]?.score ?? 0) === 0;
    if (chosen.length === limit || isComplete) return chosen;
  }
}
