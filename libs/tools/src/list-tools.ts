import { containing, type Query, rows, type Sql } from '@app/database';
import { requireAgent } from './find-tool.js';
import type { AgentOfAccount } from './tool.js';
import { TOOL_COLUMNS, type ToolRow } from './tool-row.js';

/** What a list is narrowed to; `search` is a part of the name in either case. */
export interface ToolFilter {
  isActive?: boolean;
  search?: string;
}

/** A page of an agent's tools, newest first, with the exact total. Throws NotFound when the account has no such agent. */
export async function pageOfTools(
  sql: Sql,
  agent: AgentOfAccount,
  filter: ToolFilter,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ tools: ToolRow[]; total: number }> {
  const { list, count } = queriesOf(agent, filter, perPage, (page - 1) * perPage);
  const [tools, [counted]] = await Promise.all([
    rows<ToolRow & Record<string, unknown>>(sql, list, list.values),
    rows<{ total: number }>(sql, count, count.values),
  ]);
  const total = counted?.total ?? 0;
  if (total === 0) await requireAgent(sql, agent);
  return { tools, total };
}

/** Named by their shape. An agent's tools are few: all of them are read along the list's index, whatever is looked for. */
function queriesOf(
  { accountId, agentId }: AgentOfAccount,
  { isActive, search }: ToolFilter,
  limit: number,
  offset: number,
): { list: Query; count: Query } {
  const values: unknown[] = [accountId, agentId];
  const conditions = ['t.account_id = $1', 't.agent_id = $2'];
  if (isActive !== undefined) conditions.push(`t.is_active = $${values.push(isActive)}`);
  if (search !== undefined) conditions.push(`t.name ILIKE $${values.push(containing(search))}`);
  const where = conditions.join(' AND ');
  const page = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const shape = `${isActive === undefined ? '' : '-state'}${search === undefined ? '' : '-search'}`;
  return {
    list: {
      name: `tools-list${shape}`,
      text: `SELECT ${TOOL_COLUMNS} FROM tools t WHERE ${where} ORDER BY t.id DESC ${page}`,
      values: [...values, limit, offset],
    },
    count: {
      name: `tools-count${shape}`,
      text: `SELECT count(*)::integer AS total FROM tools t WHERE ${where}`,
      values,
    },
  };
}
