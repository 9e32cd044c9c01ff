import { type Acting, type AuditAction, type Sql, writeAudit } from '@app/db';
import type { AgentOfAccount } from './knowledge-base-row.js';

/** Notes what was done to a knowledge base, in the transaction that does it. */
export function noteKnowledgeBase(
  tx: Sql,
  { accountId, actor, agentId }: AgentOfAccount & Acting,
  { action, id, details }: { action: AuditAction; id: number; details?: Record<string, unknown> },
): Promise<void> {
  return writeAudit(tx, {
    accountId,
    actor,
    action,
    subject: { kind: 'knowledge_base', id },
    details: { agent_id: agentId, ...details },
  });
}
