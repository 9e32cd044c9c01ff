import type { Acting } from '@app/audit';
import { NotFound } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Storage } from '@app/storage';
import type { Pool } from 'pg';
import { raiseKnowledgeVersion } from './generations.js';
import type { AgentOfAccount } from './knowledge-base-row.js';
import { noteKnowledgeBase } from './note-knowledge-base.js';

const LOOK = {
  name: 'knowledge-base-to-delete',
  text: 'SELECT file_key FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2 AND id = $3',
};
const DELETE = {
  name: 'delete-knowledge-base',
  text: 'DELETE FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2 AND id = $3 RETURNING title',
};

/**
 * Removes a knowledge base with its file and its chunks; a worker that is at it finds nothing to write to. The file goes
 * first: should the process die in between, a second delete finds the rest. Throws NotFound.
 */
export async function deleteKnowledgeBase(
  { pool, storage }: { pool: Pool; storage: Storage },
  agent: AgentOfAccount & Acting,
  id: number,
): Promise<void> {
  const { accountId, agentId } = agent;
  const [found] = await rows<{ file_key: string | null }>(pool, LOOK, [accountId, agentId, id]);
  if (!found) throw new NotFound('Knowledge base');
  if (found.file_key !== null) await storage.delete(found.file_key);
  await inTransaction(pool, async (tx) => {
    const [deleted] = await rows<{ title: string }>(tx, DELETE, [accountId, agentId, id]);
    if (!deleted) throw new NotFound('Knowledge base');
    await noteKnowledgeBase(tx, agent, { action: 'knowledge_base.deleted', id, details: deleted });
    await raiseKnowledgeVersion(tx, accountId, agentId);
  });
}
