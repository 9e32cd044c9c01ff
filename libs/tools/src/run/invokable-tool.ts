import { NotFound } from '@app/common';
import { rows, type Sql } from '@app/database';
import { type ActionRow, actionOf, ACTIONS } from '../action-row.js';
import type { AgentOfAccount, AgentTool, JsonSchema } from '../tool.js';

interface Row {
  agent_name: string;
  id: number | null;
  name: string;
  description: string;
  parameters: JsonSchema;
  actions: ActionRow[];
}

const ONE = {
  name: 'invokable-tool',
  text: `SELECT g.name AS agent_name, t.id, t.name, t.description, t.parameters, ${ACTIONS} AS actions
    FROM agents g LEFT JOIN tools t ON t.account_id = g.account_id AND t.agent_id = g.id AND t.id = $3
    WHERE g.account_id = $1 AND g.id = $2`,
};

/** A tool of an agent, active or not, with the name of the agent. @throws NotFound */
export async function invokableTool(
  sql: Sql,
  { accountId, agentId }: AgentOfAccount,
  toolId: number,
): Promise<{ tool: AgentTool; agentName: string }> {
  const [row] = await rows<Row & Record<string, unknown>>(sql, ONE, [accountId, agentId, toolId]);
  if (!row) throw new NotFound('Agent');
  const { id, name, description, parameters, actions, agent_name: agentName } = row;
  if (id === null) throw new NotFound('Tool');
  return { agentName, tool: { id, name, description, parameters, actions: actions.map(actionOf) } };
}
