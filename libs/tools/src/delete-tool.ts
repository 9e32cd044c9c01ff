import { NotFound } from '@app/common';
import type { Sql } from '@app/db';
import type { AgentOfAccount } from './tool.js';

const DELETE = {
  name: 'delete-tool',
  text: 'DELETE FROM tools WHERE account_id = $1 AND agent_id = $2 AND id = $3',
};

/** Removes a tool with its actions. A conversation that has begun keeps it. Throws NotFound. */
export async function deleteTool(sql: Sql, { accountId, agentId }: AgentOfAccount, id: number): Promise<void> {
  const deleted = await sql.query({ ...DELETE, values: [accountId, agentId, id] });
  if (deleted.rowCount === 0) throw new NotFound('Tool');
}
