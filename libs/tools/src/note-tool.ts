import { type Acting, type AuditAction, type Sql, writeAudit } from '@app/db';
import type { AgentOfAccount } from './tool.js';

/** Notes what was done to a tool, in the transaction that does it. */
export function noteTool(
  tx: Sql,
  { accountId, actor, agentId }: AgentOfAccount & Acting,
  { action, id, details }: { action: AuditAction; id: number; details?: Record<string, unknown> },
): Promise<void> {
  return writeAudit(tx, {
    accountId,
    actor,
    action,
    subject: { kind: 'tool', id },
    details: { agent_id: agentId, ...details },
  });
}
