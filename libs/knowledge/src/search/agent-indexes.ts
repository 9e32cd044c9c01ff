import { type Log, orAborted, Semaphore } from '@app/common';
import { inTransaction, type Sql } from '@app/database';
import type { Pool } from 'pg';
import { agentIndex, type AgentIndex } from './agent-index.js';
import { buildIndex } from './build-index.js';
import { knowledgeVersion, type SearchedAgent } from './visible-chunks.js';

/** Builds at the same time: each holds a connection of the pool. */
const BUILDS = 3;

const NOTHING = agentIndex('', []);

/**
 * The indexes that this process keeps, those used last within `cacheBytes`. The one used last is always kept: an agent whose
 * index alone is larger has it until another agent is searched, and then it is built anew when it is asked for again.
 */
export class AgentIndexes {
  private readonly kept = new Map<string, AgentIndex>();
  private readonly builds = new Map<string, Promise<AgentIndex>>();
  private readonly buildPermits = new Semaphore(BUILDS);
  private readonly closing = new AbortController();

  constructor(private readonly parts: { pool: Pool; log: Log; cacheBytes: number }) {}

  /** As it was when the agent was searched last. */
  last(agent: SearchedAgent): AgentIndex | undefined {
    return this.keptOf(keyOf(agent));
  }

  /** Of what can be found now, or became so while it was read. An agent that the account does not have finds nothing. */
  async current(agent: SearchedAgent, signal?: AbortSignal): Promise<AgentIndex> {
    const key = keyOf(agent);
    // May have begun before a change that this search must see; the one after it has not.
    const earlier = this.builds.get(key);
    for (;;) {
      const version = await knowledgeVersion(this.parts.pool, agent);
      if (version === undefined) return NOTHING;
      const kept = this.keptOf(key);
      if (kept?.version === version) return kept;
      const building = this.builds.get(key) ?? this.build(agent);
      if (building !== earlier) return orAborted(building, signal);
      // Whether it fails is a matter of those who asked for it.
      await orAborted(Promise.allSettled([building]), signal);
    }
  }

  /** Does something with the index and the rows of one and the same moment, whatever changes meanwhile. */
  inSnapshot<T>(agent: SearchedAgent, work: (index: AgentIndex, sql: Sql) => Promise<T>): Promise<T> {
    return this.buildPermits.run(() =>
      inTransaction(this.parts.pool, async (sql) => {
        await sql.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        const index = await buildIndex(sql, agent, this.keptOf(keyOf(agent)), this.closing.signal);
        if (index) this.keep(keyOf(agent), index);
        return work(index ?? NOTHING, sql);
      }),
    );
  }

  /** Ends the builds that run. */
  async close(): Promise<void> {
    this.closing.abort(new Error('the process is ending'));
    await Promise.allSettled(this.builds.values());
  }

  /** Not ended by those who wait for it: the next one who asks would only begin it again. */
  private build(agent: SearchedAgent): Promise<AgentIndex> {
    const key = keyOf(agent);
    const began = performance.now();
    const building = this.inSnapshot(agent, (index) => Promise.resolve(index))
      .then((index) => {
        const ms = Math.round(performance.now() - began);
        this.parts.log.debug(
          { agentId: agent.agentId, chunks: index.chunks, bytes: index.bytes, ms },
          'knowledge indexed',
        );
        return index;
      })
      .finally(() => this.builds.delete(key));
    building.catch((error: unknown) =>
      this.parts.log.warn({ err: error, agentId: agent.agentId }, 'knowledge could not be indexed'),
    );
    this.builds.set(key, building);
    return building;
  }

  private keptOf(key: string): AgentIndex | undefined {
    const index = this.kept.get(key);
    if (index) {
      // The last in the map is the one used last.
      this.kept.delete(key);
      this.kept.set(key, index);
    }
    return index;
  }

  private keep(key: string, index: AgentIndex): void {
    this.kept.delete(key);
    this.kept.set(key, index);
    let bytes = 0;
    for (const one of this.kept.values()) bytes += one.bytes;
    for (const [oldest, one] of this.kept) {
      if (bytes <= this.parts.cacheBytes || oldest === key) return;
      this.kept.delete(oldest);
      bytes -= one.bytes;
    }
  }
}

const keyOf = ({ accountId, agentId }: SearchedAgent): string => `${accountId}:${agentId}`;
