import { setMaxListeners } from 'node:events';
import { type Log, Semaphore } from '@app/common';
import type { Sql } from '@app/database';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { EmbeddingsUnavailable, vectorOf } from '../embed/embedder.js';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { type ChunkVector, ChunkVectorsRepository } from '../vectors/chunk-vectors.repository.js';
import { embeddedText } from '../vectors/embedded-text.js';
import { PASSAGES_PER_BATCH, PassageVectorsService } from '../vectors/passage-vectors.service.js';
import { Nearest, VectorMatrix } from '../vectors/vector-matrix.js';
import type { NearChunk } from '../vectors/vector-store.js';
import { type AgentIndex, placeOf } from './agent-index.js';
import { AgentIndexCacheService } from './agent-index-cache.service.js';
import {
  type Candidate,
  type FoundChunk,
  KnowledgeSearchRepository,
  type SearchedAgent,
} from './knowledge-search.repository.js';
import { candidates, choose, DenseSearchService } from './knowledge-search.service.js';

interface Options {
  /** Number of results per query. */
  limit: number;
  signal: AbortSignal;
}

/** What a search of a call finds, and what it would find without vectors if it had one. */
export interface FoundInSnapshot {
  passages: FoundChunk[];
  byWords?: FoundChunk[];
}

/** What the agent finds now, and what it would find if the candidate were served. */
interface Comparison {
  current: FoundChunk[];
  candidate: FoundChunk[];
}

/** Vectors of queries; empty without an embedder. */
type QueryVectors = ReadonlyMap<string, Float32Array>;

/** What a comparison needs besides the stored vectors. */
interface ComparedVectors {
  vectors: QueryVectors;
  /** Of passages of the candidate whose vectors are not stored yet. */
  fresh: readonly ChunkVector[];
}

const WITHOUT_VECTORS: ComparedVectors = { vectors: new Map(), fresh: [] };

/** No caller waits for the result: a slow embedder must not make a test fail. */
const QUERY_DEADLINE_MS = 10_000;
/** Concurrent requests to the embedder, which calls use as well. */
const EMBEDDED_AT_ONCE = 4;

/**
 * Searches for many queries in one snapshot of an agent's knowledge, in the same way as in a call, except that a query without a
 * vector is an error instead of a lexical search.
 */
@Injectable()
export class SnapshotSearchService {
  constructor(
    private readonly indexes: AgentIndexCacheService,
    private readonly repository: KnowledgeSearchRepository,
    private readonly dense: DenseSearchService,
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    private readonly chunkVectors: ChunkVectorsRepository,
    private readonly passageVectors: PassageVectorsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Runs `work` with a search for any of the queries. `version`: `agents.knowledge_version` of the snapshot. Throws the signal's
   * reason, and EmbeddingsUnavailable or EmbeddingsRefused.
   */
  async run<T>(
    agent: SearchedAgent,
    queries: readonly string[],
    { limit, signal }: Options,
    work: (search: (query: string) => Promise<FoundInSnapshot>, version: string) => Promise<T>,
  ): Promise<T> {
    const near = await this.nearOf(agent, await this.vectorsOf(queries, signal), candidates(limit), signal);
    return this.indexes.inSnapshot(agent, (index, tx) => {
      const found = (query: string, vectors: NearChunk[][]) =>
        this.passages(agent, index, choose(index, [query], { near: vectors, limit }), tx);
      const search = async (query: string): Promise<FoundInSnapshot> => {
        signal.throwIfAborted();
        const ofQuery = near.get(query);
        if (!ofQuery) return { passages: await found(query, []) };
        return { passages: await found(query, [ofQuery]), byWords: await found(query, []) };
      };
      return work(search, index.version);
    });
  }

  /**
   * Like `run`, with both results of each query. Both are lexical without an available embedder, and if so many passages of the candidate
   * are new that their vectors must follow.
   */
  async compare<T>(
    agent: SearchedAgent,
    candidate: Candidate,
    queries: readonly string[],
    { limit, signal }: Options,
    work: (search: (query: string) => Promise<Comparison>) => Promise<T>,
  ): Promise<T> {
    const { vectors, fresh } = await this.availableVectors(agent, candidate, queries, signal);
    // More than a search needs, because those of the replaced generation are not in the index of the candidate.
    const near = await this.nearOf(agent, vectors, candidates(limit) * 4, signal);
    const added = await this.nearInCandidate(agent, candidate, { vectors, fresh }, candidates(limit), signal);
    return this.indexes.withCandidate(agent, candidate, (index, candidateIndex, tx) => {
      const search = async (query: string): Promise<Comparison> => {
        signal.throwIfAborted();
        const both = [...(near.get(query) ?? []), ...(added.get(query) ?? [])];
        const chosen = (one: AgentIndex) => {
          const nearest = near.has(query) ? [nearestIn(one, both, candidates(limit))] : [];
          return choose(one, [query], { near: nearest, limit });
        };
        return {
          current: await this.passages(agent, index, chosen(index), tx),
          candidate: await this.passages(agent, candidateIndex, chosen(candidateIndex), tx, candidate),
        };
      };
      return work(search);
    });
  }

  private async passages(
    agent: SearchedAgent,
    index: AgentIndex,
    chosen: ReturnType<typeof choose>,
    tx: Sql,
    candidate?: Candidate,
  ): Promise<FoundChunk[]> {
    return (await this.repository.passages(agent, index.version, chosen, tx, candidate)) ?? [];
  }

  /** Before the snapshot, which holds a connection: the vector store uses others. A change in between makes the next run due. */
  private async nearOf(
    agent: SearchedAgent,
    vectors: QueryVectors,
    limit: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, NearChunk[]>> {
    const near = new Map<string, NearChunk[]>();
    if (vectors.size === 0) return near;
    const version = (await this.repository.version(agent)) ?? '0';
    for (const [query, vector] of vectors)
      near.set(query, await this.dense.nearest({ ...agent, version }, vector, limit, signal));
    return near;
  }

  /** The vectors of the queries and of the candidate's new passages; none if one of both cannot be had. */
  private async availableVectors(
    agent: SearchedAgent,
    candidate: Candidate,
    queries: readonly string[],
    signal: AbortSignal,
  ): Promise<ComparedVectors> {
    try {
      const fresh = await this.freshVectors(agent, candidate, signal);
      return fresh ? { vectors: await this.vectorsOf(queries, signal), fresh } : WITHOUT_VECTORS;
    } catch (error) {
      signal.throwIfAborted();
      this.log.warn({ err: error }, 'retrieval tests of a refresh are compared lexically, because the embedder failed');
      return WITHOUT_VECTORS;
    }
  }

  /** The vectors of passages that have none yet, at most one batch; undefined if there are more. */
  private async freshVectors(
    { accountId }: SearchedAgent,
    candidate: Candidate,
    signal: AbortSignal,
  ): Promise<ChunkVector[] | undefined> {
    const { embedder } = this.embeddings;
    if (!embedder) return [];
    const scope = { accountId, model: embedder.model };
    const chunks = await this.chunkVectors.without(scope, candidate, PASSAGES_PER_BATCH + 1);
    if (chunks.length > PASSAGES_PER_BATCH) return undefined;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(QUERY_DEADLINE_MS)]);
    const vectors = await this.passageVectors.vectorsOf(scope, chunks.map(embeddedText), deadline);
    return chunks.flatMap(({ id }, at) => (vectors[at] ? [{ id, embedding: vectors[at] }] : []));
  }

  private async vectorsOf(queries: readonly string[], signal: AbortSignal): Promise<QueryVectors> {
    const { embedder } = this.embeddings;
    const vectors = new Map<string, Float32Array>();
    if (!embedder && this.embeddings.isConfigured) throw new EmbeddingsUnavailable('The embedder does not answer.');
    if (!embedder) return vectors;
    const permits = new Semaphore(EMBEDDED_AT_ONCE);
    // Every waiting query listens.
    setMaxListeners(0, signal);
    const embed = (query: string) =>
      permits.run(async () => {
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(QUERY_DEADLINE_MS)]);
        const vector = await embedder.embedQuery(query, deadline);
        if (vector) vectors.set(query, vector);
      }, signal);
    await Promise.all([...new Set(queries)].map(embed));
    return vectors;
  }

  /** Searches of the vector store see the serving generations only; the vectors of a candidate are compared here, batch by batch. */
  private async nearInCandidate(
    { accountId }: SearchedAgent,
    candidate: Candidate,
    { vectors, fresh }: ComparedVectors,
    limit: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, NearChunk[]>> {
    const { embedder } = this.embeddings;
    const nearest = new Map([...vectors.keys()].map((query) => [query, new Nearest(limit)]));
    if (!embedder || vectors.size === 0) return new Map();
    const { model, dimensions } = embedder;
    const compare = async (batch: readonly ChunkVector[]): Promise<void> => {
      const matrix = new VectorMatrix(batch.length, dimensions);
      for (const [row, { embedding }] of batch.entries()) matrix.set(row, vectorOf(embedding));
      for (const [query, vector] of vectors) {
        const { rows, similarities } = await matrix.nearest(vector, limit, undefined, signal);
        for (const [at, row] of rows.entries()) nearest.get(query)!.add(Number(batch[row]!.id), similarities[at]!);
      }
    };
    await compare(fresh);
    const stored = this.chunkVectors.ofGeneration({ accountId, model, dimensions }, candidate);
    for await (const batch of stored) await compare(batch);
    return new Map([...nearest].map(([query, found]) => [query, nearChunks(found)]));
  }
}

const nearChunks = ({ rows, similarities }: Nearest): NearChunk[] =>
  rows.map((id, at) => ({ chunkId: String(id), similarity: similarities[at]! }));

/** The nearest chunks of those that the index contains. */
const nearestIn = (index: AgentIndex, near: readonly NearChunk[], limit: number): NearChunk[] =>
  near
    .filter(({ chunkId }) => placeOf(index, Number(chunkId)) !== undefined)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, limit);
