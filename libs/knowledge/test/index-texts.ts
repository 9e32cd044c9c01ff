import { agentIndex, type AgentIndex, type Segment, SegmentBuilder } from '../src/search/agent-index.js';
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
  let id = 0;
  for (const [at, { title = '', texts, rows = [] }] of knowledge.entries()) {
    const builder = new SegmentBuilder({ knowledgeBaseId: at + 1, generation: 1, title });
    for (const [n, text] of texts.entries()) builder.add({ id: id++, text, headingPath: [], ...rows[n] });
    segments.push(await builder.seal(new CooperativeYield()));
  }
  return agentIndex('1', segments);
}
