import { rows, type Sql } from '@app/database';
import type { FoundChunk } from './found-chunk.js';
import type { RankedChunk } from './ranking.js';
import type { SearchedAgent } from './visible-chunks.js';

/**
 * With the version they are of: that of the agent stands in every row, and in one without a passage when there is none. By
 * their keys first: before the statistics know of new chunks, PostgreSQL would rather read all that the agent has (8 ms
 * instead of 0.3 at 10,000).
 */
const PASSAGES = {
  name: 'knowledge-passages',
  text: `WITH chosen AS MATERIALIZED (SELECT * FROM knowledge_chunks WHERE id = ANY($3::bigint[]))
    SELECT a.knowledge_version AS version, c.id, b.id AS knowledge_base_id, b.title, b.source_type,
      coalesce(b.source_reference, b.file_name) AS source, c.text, c.heading_path, c.page, c.first_row, c.last_row,
      c.start_offset, c.end_offset
    FROM agents a LEFT JOIN (
      chosen c JOIN knowledge_bases b ON b.id = c.knowledge_base_id AND b.serving = c.generation AND b.is_active
        AND b.account_id = $1 AND b.agent_id = $2)
      ON c.account_id = $1 AND c.agent_id = $2
    WHERE a.account_id = $1 AND a.id = $2`,
};

interface PassageRow extends Record<string, unknown> {
  version: string;
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

/**
 * The chunks that were chosen from an index of this version, in their order; undefined when searches find something else by
 * now. An agent that the account does not have finds nothing.
 */
export async function readPassages(
  sql: Sql,
  agent: SearchedAgent,
  version: string,
  chosen: RankedChunk[],
): Promise<FoundChunk[] | undefined> {
  const ids = chosen.map(({ segment, chunk }) => segment.ids[chunk]!);
  const found = await rows<PassageRow>(sql, PASSAGES, [agent.accountId, agent.agentId, ids]);
  if (found.length === 0) return [];
  if (found[0]!.version !== version || found.length < chosen.length) return undefined;
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
