import { CooperativeYield, type Env, type Log, orAborted, Semaphore } from '@app/common';
import type { Sql } from '@app/database';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { embeddingSettings } from '../embed/embedding-settings.js';
import { agentIndex, type AgentIndex } from './agent-index.js';
import {
  type Candidate,
  KnowledgeSearchRepository,
  type SearchedAgent,
  type ServingSource,
} from './knowledge-search.repository.js';
import { combine, compact, type IndexSource, type Segment, SegmentBuilder } from './segment.js';

/** Concurrent builds; each holds a connection of the pool. */
const BUILDS = 3;
const MB = 1024 * 1024;

const NOTHING = agentIndex('', []);

/** Memory for lexical indexes: they need about as much as vectors of 384 dimensions, which get the other half. */
function cacheBytesOf(env: Env): number {
  const bytes = env.KNOWLEDGE_CACHE_MB * MB;
  return embeddingSettings(env) ? Math.floor(bytes / 2) : bytes;
}

/**
 * The lexical indexes of agents in the memory of this process: the most recently used ones within KNOWLEDGE_CACHE_MB. An index
 * larger than this limit is cached until the next build, and rebuilt for the next search of its agent.
 */
@Injectable()
export class AgentIndexCacheService implements OnModuleDestroy {
  private readonly cached: LRUCache<string, AgentIndex>;
  private oversized: { key: string; index: AgentIndex } | undefined;
  private readonly builds = new Map<string, Promise<AgentIndex>>();
  private readonly buildPermits = new Semaphore(BUILDS);
  private readonly closing = new AbortController();
  private readonly cacheBytes: number;

  constructor(
    private readonly repository: KnowledgeSearchRepository,
    @Inject(ENV) env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.cacheBytes = cacheBytesOf(env);
    this.cached = new LRUCache({ maxSize: this.cacheBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
  }

  /** Aborts running builds. */
  async onModuleDestroy(): Promise<void> {
    this.closing.abort(new Error('the process is ending'));
    await Promise.allSettled(this.builds.values());
  }

  /** The cached index, which may be outdated. */
  last(agent: SearchedAgent): AgentIndex | undefined {
    return this.cachedOf(keyOf(agent));
  }

  /** An index of the current version or a later one. Empty if the agent does not exist in the account. */
  async current(agent: SearchedAgent, signal?: AbortSignal): Promise<AgentIndex> {
    const key = keyOf(agent);
    // This build may have begun before a change that the search must see; the next one has not.
    const earlier = this.builds.get(key);
    for (;;) {
      const version = await this.repository.version(agent);
      if (version === undefined) return NOTHING;
      const cached = this.cachedOf(key);
      if (cached?.version === version) return cached;
      const building = this.builds.get(key) ?? this.build(agent);
      if (building !== earlier) return orAborted(building, signal);
      // Its failure concerns only the searches that started it.
      await orAborted(Promise.allSettled([building]), signal);
    }
  }

  /** Runs `work` with an index and rows of the same snapshot, regardless of concurrent changes. */
  inSnapshot<T>(agent: SearchedAgent, work: (index: AgentIndex, tx: Sql) => Promise<T>): Promise<T> {
    return this.buildPermits.run(() =>
      this.repository.snapshot(async (tx) => {
        const index = await this.read(agent, tx);
        if (index) this.cache(keyOf(agent), index);
        return work(index ?? NOTHING, tx);
      }),
    );
  }

  /** Like `inSnapshot`, also with the index that the agent would have if the candidate were served; it is not cached. */
  withCandidate<T>(
    agent: SearchedAgent,
    candidate: Candidate,
    work: (index: AgentIndex, candidateIndex: AgentIndex, tx: Sql) => Promise<T>,
  ): Promise<T> {
    return this.inSnapshot(agent, async (index, tx) =>
      work(index, (await this.read(agent, tx, candidate)) ?? NOTHING, tx),
    );
  }

  /** Not aborted by the searches that wait for it: the next search would only start it again. */
  private build(agent: SearchedAgent): Promise<AgentIndex> {
    const key = keyOf(agent);
    const began = performance.now();
    const building = this.inSnapshot(agent, (index) => Promise.resolve(index))
      .then((index) => {
        const ms = Math.round(performance.now() - began);
        this.log.debug({ agentId: agent.agentId, chunks: index.chunks, bytes: index.bytes, ms }, 'knowledge indexed');
        return index;
      })
      .finally(() => this.builds.delete(key));
    building.catch((error: unknown) =>
      this.log.warn({ err: error, agentId: agent.agentId }, 'knowledge could not be indexed'),
    );
    this.builds.set(key, building);
    return building;
  }

  /**
   * Reads the agent's index in the snapshot: unchanged sources are taken from the cached index, only new ones are read. Returns
   * undefined if the agent does not exist in the account.
   */
  private async read(agent: SearchedAgent, tx: Sql, candidate?: Candidate): Promise<AgentIndex | undefined> {
    const version = await this.repository.version(agent, tx);
    if (version === undefined) return undefined;
    const pacing = new CooperativeYield();
    const serving = await this.repository.serving(agent, tx, candidate);
    const kept = await keptSegments(this.cachedOf(keyOf(agent))?.segments ?? [], serving, pacing);
    const known = new Set(kept.flatMap(({ parts }) => parts.map(({ source }) => source.knowledgeBaseId)));
    const added = serving.filter(({ knowledgeBaseId }) => !known.has(knowledgeBaseId));
    const segments = [...kept, ...(await this.segmentsOf(agent, added, pacing, tx))];
    return agentIndex(version, await compact(segments, pacing));
  }

  private async segmentsOf(
    agent: SearchedAgent,
    sources: ServingSource[],
    pacing: CooperativeYield,
    tx: Sql,
  ): Promise<Segment[]> {
    const segments: Segment[] = [];
    let builder = new SegmentBuilder();
    for await (const { source, before, chunks } of this.repository.chunksOf(agent, sources, tx)) {
      for (const [at, chunk] of chunks.entries()) {
        if (builder.full) {
          segments.push(await builder.seal(pacing));
          builder = new SegmentBuilder();
        }
        builder.add(chunk, source, before + at);
        if (pacing.due) await pacing.pause();
      }
      this.closing.signal.throwIfAborted();
    }
    return builder.empty ? segments : [...segments, await builder.seal(pacing)];
  }

  private cachedOf(key: string): AgentIndex | undefined {
    return this.cached.get(key) ?? (this.oversized?.key === key ? this.oversized.index : undefined);
  }

  private cache(key: string, index: AgentIndex): void {
    this.oversized = undefined;
    if (index.bytes > this.cacheBytes) {
      this.cached.clear();
      this.oversized = { key, index };
    } else this.cached.set(key, index);
  }
}

/** The segments with the chunks of sources that still serve. */
async function keptSegments(segments: Segment[], serving: IndexSource[], pacing: CooperativeYield): Promise<Segment[]> {
  const sources = new Map(serving.map((source) => [source.knowledgeBaseId, source]));
  const serves = (one: IndexSource): boolean => {
    const source = sources.get(one.knowledgeBaseId);
    return source?.generation === one.generation && source.title === one.title;
  };
  const kept: Segment[] = [];
  for (const segment of segments) {
    const parts = segment.parts.filter(({ source }) => serves(source));
    if (parts.length === segment.parts.length) kept.push(segment);
    else if (parts.length > 0) kept.push(await combine([{ segment, parts }], pacing));
  }
  return kept;
}

const keyOf = ({ accountId, agentId }: SearchedAgent): string => `${accountId}:${agentId}`;
