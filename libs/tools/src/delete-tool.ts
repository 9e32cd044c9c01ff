import type { Acting } from '@app/audit';
import { NotFound } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import { noteTool } from './note-tool.js';
import type { AgentOfAccount } from './tool.js';

const DELETE = {
  name: 'delete-tool',
  text: 'DELETE FROM tools WHERE account_id = $1 AND agent_id = $2 AND id = $3 RETURNING name',
};

/** Removes a tool with its actions. A conversation that has begun keeps it. Throws NotFound. */
export async function deleteTool(pool: Pool, agent: AgentOfAccount & Acting, id: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const [deleted] = await rows<{ name: string }>(tx, DELETE, [agent.accountId, agent.agentId, id]);
    if (!deleted) throw new NotFound('Tool');
    await noteTool(tx, agent, { action: 'tool.deleted', id, details: deleted });
  });
}
