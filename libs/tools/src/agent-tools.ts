import { rows, type Sql } from '@app/database';
import { type ActionRow, actionOf, ACTIONS } from './action-row.js';
import type { AgentOfAccount, AgentTool, JsonSchema } from './tool.js';

interface Row {
  id: number;
  name: string;
  description: string;
  parameters: JsonSchema;
  actions: ActionRow[];
}

const OF_AGENT = {
  name: 'tools-of-agent',
  text: `SELECT t.id, t.name, t.description, t.parameters, ${ACTIONS} AS actions
    FROM tools t WHERE t.account_id = $1 AND t.agent_id = $2 AND t.is_active ORDER BY t.id`,
};

/** The active tools of an agent, oldest first, with their actions: one statement, read when a conversation begins. */
export async function toolsOfAgent(sql: Sql, { accountId, agentId }: AgentOfAccount): Promise<AgentTool[]> {
  const found = await rows<Row & Record<string, unknown>>(sql, OF_AGENT, [accountId, agentId]);
  return found.map(({ id, name, description, parameters, actions }) => ({
    id,
    name,
    description,
    parameters,
    actions: actions.map(actionOf),
  }));
}
