import { rows, type Sql } from '@app/db';
import type { FoundChunk } from './found-chunk.js';
import type { RankedChunk } from './ranking.js';
import type { SearchedAgent } from './visible-chunks.js';

const PASSAGES = {
  name: 'knowledge-passages',
  text: `SELECT c.id, b.id AS knowledge_base_id, b.title, b.source_type, coalesce(b.source_reference, b.file_name) AS source,
      c.text, c.heading_path, c.page, c.first_row, c.last_row, c.start_offset, c.end_offset
    FROM knowledge_chunks c JOIN knowledge_bases b ON b.id = c.knowledge_base_id AND b.serving = c.generation
    WHERE c.id = ANY($3::bigint[]) AND c.account_id = $1 AND c.agent_id = $2 AND b.account_id = $1 AND b.agent_id = $2
      AND b.is_active`,
};

interface PassageRow extends Record<string, unknown> {
  id: string;
  knowledge_base_id: number;
  title: string;
  source_type: string;
  source: string | null;
  text: string;
  heading_path: string[];
  page: number | null;
  first_row: number | null;
  last_row: number | null;
  start_offset: number;
  end_offset: number;
}

/** The chosen chunks as they are now, in their order; undefined when one of them is no longer there to be found. */
export async function readPassages(
  sql: Sql,
  agent: SearchedAgent,
  chosen: RankedChunk[],
): Promise<FoundChunk[] | undefined> {
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ segment, chunk }) => segment.ids[chunk]!);
  const found = await rows<PassageRow>(sql, PASSAGES, [agent.accountId, agent.agentId, ids]);
  if (found.length < chosen.length) return undefined;
  const byId = new Map(found.map((row) => [Number(row.id), row]));
  return chosen.map(({ score }, at) => foundChunk(byId.get(ids[at]!)!, score));
}

const foundChunk = (row: PassageRow, score: number): FoundChunk => ({
  chunkId: row.id,
  knowledgeBaseId: row.knowledge_base_id,
  title: row.title,
  sourceType: row.source_type,
  source: row.source,
  text: row.text,
  score,
  headingPath: row.heading_path,
  page: row.page,
  rows: row.first_row === null || row.last_row === null ? null : { first: row.first_row, last: row.last_row },
  start: row.start_offset,
  end: row.end_offset,
});
