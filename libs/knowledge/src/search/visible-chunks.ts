import { rows, type Sql } from '@app/database';
import type { IndexedChunk } from './segment-builder.js';
import type { SegmentSource } from './segment.js';

export interface SearchedAgent {
  accountId: number;
  agentId: number;
}

const VERSION = {
  name: 'knowledge-version',
  text: 'SELECT knowledge_version AS version FROM agents WHERE account_id = $1 AND id = $2',
};

/** Of what the agent's searches find; undefined: the account has no such agent. */
export async function knowledgeVersion(sql: Sql, agent: SearchedAgent): Promise<string | undefined> {
  const [row] = await rows<{ version: string }>(sql, VERSION, [agent.accountId, agent.agentId]);
  return row?.version;
}

/** What is not active or has never been completed serves nothing. A generation that is being built is not the serving one. */
const SERVING = {
  name: 'serving-knowledge',
  text: `SELECT id AS "knowledgeBaseId", serving AS generation, title FROM knowledge_bases
    WHERE account_id = $1 AND agent_id = $2 AND is_active AND serving IS NOT NULL ORDER BY id`,
};

export const servingKnowledge = (sql: Sql, agent: SearchedAgent): Promise<SegmentSource[]> =>
  rows<SegmentSource & Record<string, unknown>>(sql, SERVING, [agent.accountId, agent.agentId]);

/** About 150 KB of text: taking it off the wire is done in one go. */
const BATCH = 128;

/** By the key of the table first: see PASSAGES. */
const CHUNKS = {
  name: 'knowledge-chunks-to-index',
  text: `WITH batch AS MATERIALIZED (
      SELECT id, account_id, agent_id, ordinal, text, heading_path FROM knowledge_chunks
      WHERE knowledge_base_id = $3 AND generation = $4 AND ordinal > $5 ORDER BY ordinal LIMIT ${BATCH})
    SELECT id, ordinal, text, heading_path FROM batch WHERE account_id = $1 AND agent_id = $2 ORDER BY ordinal`,
};

interface ChunkRow extends Record<string, unknown> {
  id: string;
  ordinal: number;
  text: string;
  heading_path: string[];
}

/** The chunks of one generation in reading order, in batches. */
export async function* chunksOf(
  sql: Sql,
  agent: SearchedAgent,
  { knowledgeBaseId, generation }: SegmentSource,
): AsyncGenerator<IndexedChunk[]> {
  const generationOf = [agent.accountId, agent.agentId, knowledgeBaseId, generation];
  let last = -1;
  for (;;) {
    const batch = await rows<ChunkRow>(sql, CHUNKS, [...generationOf, last]);
    if (batch.length > 0) yield batch.map(indexedChunk);
    if (batch.length < BATCH) return;
    last = batch.at(-1)!.ordinal;
  }
}

const indexedChunk = (row: ChunkRow): IndexedChunk => ({
  id: Number(row.id),
  text: row.text,
  headingPath: row.heading_path,
});
