import { THE_SERVICE } from '@app/audit';
import { NotFound } from '@app/common';
import { rows } from '@app/database';
import type { SkipList, Storage } from '@app/storage';
import type { Pool } from 'pg';
import { deleteKnowledgeBase } from './delete-knowledge-base.js';

const PER_ACCOUNT = 20;
const AT_ONCE = 100;

interface Expired extends Record<string, unknown> {
  id: number;
  account_id: number;
  agent_id: number;
  file_key: string | null;
}

const EXPIRED = {
  name: 'expired-documents',
  text: `SELECT k.* FROM accounts a CROSS JOIN LATERAL (
      SELECT id, account_id, agent_id, file_key FROM knowledge_bases
       WHERE account_id = a.id AND updated_at < now() - a.documents_days * interval '1 day' AND status IN ('completed', 'failed')
         AND id <> ALL ($1::integer[])
       ORDER BY updated_at LIMIT ${PER_ACCOUNT}) k
    WHERE a.documents_days IS NOT NULL LIMIT ${AT_ONCE}`,
};

/**
 * Deletes knowledge bases, with file and passages, that have not changed for longer than their account wants. @returns how many.
 */
export async function deleteExpiredDocuments(
  pool: Pool,
  storage: Storage,
  passedOver: SkipList<number>,
): Promise<number> {
  let deleted = 0;
  const found = await rows<Expired>(pool, EXPIRED, [passedOver.ids]);
  for (const { id, account_id: accountId, agent_id: agentId, file_key: key } of found) {
    if (key !== null && !(await passedOver.did(id, () => storage.delete(key)))) continue;
    try {
      await deleteKnowledgeBase({ pool, storage }, { accountId, agentId, actor: THE_SERVICE }, id);
      deleted++;
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof NotFound)) throw error;
    }
  }
  return deleted;
}
