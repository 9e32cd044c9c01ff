import { NotFound } from '@app/common';
import { rows, THE_SERVICE } from '@app/db';
import type { Storage } from '@app/storage';
import type { Pool } from 'pg';
import { deleteKnowledgeBase } from './delete-knowledge-base.js';

const PER_ACCOUNT = 20;
const AT_ONCE = 100;

const EXPIRED = {
  name: 'expired-documents',
  text: `SELECT k.* FROM accounts a CROSS JOIN LATERAL (
      SELECT id, account_id, agent_id FROM knowledge_bases
       WHERE account_id = a.id AND updated_at < now() - a.documents_days * interval '1 day' AND status IN ('completed', 'failed')
       ORDER BY updated_at LIMIT ${PER_ACCOUNT}) k
    WHERE a.documents_days IS NOT NULL LIMIT ${AT_ONCE}`,
};

/**
 * Deletes knowledge bases, with file and passages, that have not changed for longer than their account wants. @returns how many there
 * were; 0: nothing is left to do.
 */
export async function deleteExpiredDocuments(pool: Pool, storage: Storage): Promise<number> {
  const found = await rows<{ id: number; account_id: number; agent_id: number }>(pool, EXPIRED);
  for (const { id, account_id: accountId, agent_id: agentId } of found) {
    try {
      await deleteKnowledgeBase({ pool, storage }, { accountId, agentId, actor: THE_SERVICE }, id);
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof NotFound)) throw error;
    }
  }
  return found.length;
}
