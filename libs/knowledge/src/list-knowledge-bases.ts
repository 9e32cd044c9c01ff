import { containing, type Query, rows, type Sql } from '@app/database';
import { requireAgent } from './find-knowledge-base.js';
import {
  type AgentOfAccount,
  KNOWLEDGE_BASE_COLUMNS,
  type KnowledgeBaseWithContent,
  type KnowledgeStatus,
  type SourceType,
} from './knowledge-base-row.js';
import { LISTED_CONTENT_LENGTH } from './limits.js';

/** What a list is narrowed to; `search` is a part of the title in either case. */
export interface KnowledgeFilter {
  status?: KnowledgeStatus;
  sourceType?: SourceType;
  search?: string;
}

const COLUMNS = `${KNOWLEDGE_BASE_COLUMNS},
  CASE WHEN character_count <= ${LISTED_CONTENT_LENGTH} THEN content END AS content`;

/**
 * A page of an agent's knowledge bases, newest first, with the exact total. Content over LISTED_CONTENT_LENGTH is null.
 * Throws NotFound when the account has no such agent.
 */
export async function pageOfKnowledgeBases(
  sql: Sql,
  agent: AgentOfAccount,
  filter: KnowledgeFilter,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ knowledgeBases: KnowledgeBaseWithContent[]; total: number }> {
  const { list, count } = queriesOf(agent, filter, perPage, (page - 1) * perPage);
  const [knowledgeBases, [counted]] = await Promise.all([
    rows<KnowledgeBaseWithContent & Record<string, unknown>>(sql, list, list.values),
    rows<{ total: number }>(sql, count, count.values),
  ]);
  const total = counted?.total ?? 0;
  if (total === 0) await requireAgent(sql, agent);
  return { knowledgeBases, total };
}

/** Named by their shape; a search is planned by its value: a rare one by its trigrams, a frequent one along the list. */
function queriesOf(
  { accountId, agentId }: AgentOfAccount,
  { status, sourceType, search }: KnowledgeFilter,
  limit: number,
  offset: number,
): { list: Query; count: Query } {
  const values: unknown[] = [accountId, agentId];
  const conditions = ['account_id = $1', 'agent_id = $2'];
  if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
  if (sourceType !== undefined) conditions.push(`source_type = $${values.push(sourceType)}`);
  if (search !== undefined) conditions.push(`title ILIKE $${values.push(containing(search))}`);
  const where = conditions.join(' AND ');
  const page = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const shape = `${status === undefined ? '' : '-status'}${sourceType === undefined ? '' : '-source'}`;
  const named = (use: string) => (search === undefined ? { name: `knowledge-${use}${shape}` } : {});
  return {
    list: {
      ...named('list'),
      text: `SELECT ${COLUMNS} FROM knowledge_bases WHERE ${where} ORDER BY id DESC ${page}`,
      values: [...values, limit, offset],
    },
    count: { ...named('count'), text: `SELECT count(*)::integer AS total FROM knowledge_bases WHERE ${where}`, values },
  };
}
