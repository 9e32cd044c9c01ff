import { NotFound } from '@app/common';
import { rows, type Sql } from '@app/database';
import { type AgentOfAccount, KNOWLEDGE_BASE_COLUMNS, type KnowledgeBaseWithContent } from './knowledge-base-row.js';

const FIND = {
  name: 'find-knowledge-base',
  text: `SELECT ${KNOWLEDGE_BASE_COLUMNS}, content FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2 AND id = $3`,
};

/** Throws NotFound when the account's agent has no such knowledge base, or the account no such agent. */
export async function findKnowledgeBase(
  sql: Sql,
  { accountId, agentId }: AgentOfAccount,
  id: number,
): Promise<KnowledgeBaseWithContent> {
  const [row] = await rows<KnowledgeBaseWithContent & Record<string, unknown>>(sql, FIND, [accountId, agentId, id]);
  if (!row) throw new NotFound('Knowledge base');
  return row;
}

const FIND_AGENT = { name: 'find-agent-id', text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2' };

/** Throws NotFound when the account has no such agent; inactive ones are agents, too. */
export async function requireAgent(sql: Sql, { accountId, agentId }: AgentOfAccount): Promise<void> {
  const found = await rows(sql, FIND_AGENT, [accountId, agentId]);
  if (found.length === 0) throw new NotFound('Agent');
}
