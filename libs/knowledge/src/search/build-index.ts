import { CooperativeYield } from '@app/common';
import type { Sql } from '@app/database';
import { agentIndex, type AgentIndex } from './agent-index.js';
import { SegmentBuilder } from './segment-builder.js';
import type { Segment, SegmentSource } from './segment.js';
import { chunksOf, knowledgeVersion, type SearchedAgent, servingKnowledge } from './visible-chunks.js';

/**
 * The index of what an agent's searches find in the snapshot that `sql` reads. Segments of `before` whose source is the same
 * are taken over: only what is new is read. Undefined: the account has no such agent.
 * @throws the signal's reason.
 */
export async function buildIndex(
  sql: Sql,
  agent: SearchedAgent,
  before: AgentIndex | undefined,
  signal: AbortSignal,
): Promise<AgentIndex | undefined> {
  const version = await knowledgeVersion(sql, agent);
  if (version === undefined) return undefined;
  const pacing = new CooperativeYield();
  const segments: Segment[] = [];
  for (const source of await servingKnowledge(sql, agent)) {
    const kept = before?.segments.filter((segment) => sameSource(segment, source)) ?? [];
    segments.push(...(kept.length > 0 ? kept : await segmentsOf(sql, agent, source, pacing, signal)));
  }
  return agentIndex(version, segments);
}

const sameSource = (a: SegmentSource, b: SegmentSource): boolean =>
  a.knowledgeBaseId === b.knowledgeBaseId && a.generation === b.generation && a.title === b.title;

async function segmentsOf(
  sql: Sql,
  agent: SearchedAgent,
  source: SegmentSource,
  pacing: CooperativeYield,
  signal: AbortSignal,
): Promise<Segment[]> {
  const segments: Segment[] = [];
  let builder = new SegmentBuilder(source);
  for await (const batch of chunksOf(sql, agent, source)) {
    for (const chunk of batch) {
      if (builder.full) {
        segments.push(await builder.seal(pacing));
        builder = new SegmentBuilder(source);
      }
      builder.add(chunk);
      if (pacing.due) await pacing.pause();
    }
    signal.throwIfAborted();
  }
  return [...segments, await builder.seal(pacing)];
}
