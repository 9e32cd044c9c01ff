import { agentIndex, type AgentIndex } from '../src/search/agent-index.js';
import { type Segment, SegmentBuilder } from '../src/search/segment.js';
import { CooperativeYield } from '@app/common';

export interface KnowledgeOfTexts {
  title?: string;
  texts: string[];
  /** Of the texts that are rows of a table, by their place. */
  rows?: ({ table: number; tokens: number } | undefined)[];
}

/** An index of knowledge bases numbered from 1; chunk ids are consecutive from 0. */
export async function indexTexts(...knowledge: KnowledgeOfTexts[]): Promise<AgentIndex> {
  const segments: Segment[] = [];
  const pacing = new CooperativeYield();
  let id = 0;
  for (const [at, { title = '', texts, rows = [] }] of knowledge.entries()) {
    let builder = new SegmentBuilder();
    const source = { knowledgeBaseId: at + 1, generation: 1, title };
    for (const [number, text] of texts.entries()) {
      if (builder.full) {
        segments.push(await builder.seal(pacing));
        builder = new SegmentBuilder();
      }
      builder.add({ id: id++, text, headingPath: [], ...rows[number] }, source, number);
    }
    segments.push(await builder.seal(pacing));
  }
  return agentIndex('1', segments);
}
