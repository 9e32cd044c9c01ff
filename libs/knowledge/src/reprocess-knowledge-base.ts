import type { Acting } from '@app/audit';
import { Conflict } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Pool } from 'pg';
import type { KnowledgeParts } from './create-knowledge-base.js';
import { findKnowledgeBase } from './find-knowledge-base.js';
import type { AgentOfAccount, KnowledgeBaseWithContent } from './knowledge-base-row.js';
import { noteKnowledgeBase } from './note-knowledge-base.js';
import { rebuildText } from './update-knowledge-base.js';

/** A lease that is over is nobody's. */
const AGAIN = {
  name: 'reprocess-knowledge-base',
  text: `UPDATE knowledge_bases SET status = 'pending', generation = generation + 1, attempt = 0, progress = 0, stage = NULL,
      processing_error = NULL, error_code = NULL, lease_owner = NULL, lease_until = NULL, next_attempt_at = now(),
      updated_at = now()
    WHERE account_id = $1 AND agent_id = $2 AND id = $3 AND (status <> 'processing' OR lease_until < now())
    RETURNING generation`,
};

/**
 * Reads a file again, fetches a URL again, or cuts a text into passages again (done when this resolves). What is found by
 * searches stays until the new passages are there. One that waits already, perhaps for its next try, has its turn now. Throws
 * NotFound, and Conflict while a worker is at it.
 */
export async function reprocessKnowledgeBase(
  { pool, announce }: Pick<KnowledgeParts, 'pool' | 'announce'>,
  agent: AgentOfAccount & Acting,
  id: number,
): Promise<KnowledgeBaseWithContent> {
  const found = await findKnowledgeBase(pool, agent, id);
  if (found.source_type === 'text') return rebuildText(pool, agent, found);
  const begun = await begin(pool, agent, id);
  if (begun) announce({ knowledgeBaseId: id, generation: begun.generation });
  const now = await findKnowledgeBase(pool, agent, id);
  if (!begun) throw new Conflict('The knowledge base is being processed. Wait until it is completed or failed.');
  return now;
}

/** Undefined: a worker is at it. */
function begin(pool: Pool, agent: AgentOfAccount & Acting, id: number): Promise<{ generation: number } | undefined> {
  return inTransaction(pool, async (tx) => {
    const [begun] = await rows<{ generation: number }>(tx, AGAIN, [agent.accountId, agent.agentId, id]);
    if (begun) await noteKnowledgeBase(tx, agent, { action: 'knowledge_base.reprocessed', id });
    return begun;
  });
}
