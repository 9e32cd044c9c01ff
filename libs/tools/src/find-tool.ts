import { NotFound } from '@app/common';
import { rows, type Sql } from '@app/database';
import type { AgentOfAccount } from './tool.js';
import { TOOL_COLUMNS, type ToolRow } from './tool-row.js';

const FIND = {
  name: 'find-tool',
  text: `SELECT ${TOOL_COLUMNS} FROM tools t WHERE t.account_id = $1 AND t.agent_id = $2 AND t.id = $3`,
};

/** Throws NotFound when the account's agent has no such tool, or the account no such agent. */
export async function findTool(sql: Sql, { accountId, agentId }: AgentOfAccount, id: number): Promise<ToolRow> {
  const [row] = await rows<ToolRow & Record<string, unknown>>(sql, FIND, [accountId, agentId, id]);
  if (!row) throw new NotFound('Tool');
  return row;
}

const FIND_AGENT = { name: 'find-agent-of-tools', text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2' };

/** Throws NotFound when the account has no such agent; inactive ones are agents, too. */
export async function requireAgent(sql: Sql, { accountId, agentId }: AgentOfAccount): Promise<void> {
  const found = await rows(sql, FIND_AGENT, [accountId, agentId]);
  if (found.length === 0) throw new NotFound('Agent');
}
