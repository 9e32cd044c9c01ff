import type { Acting } from '@app/audit';
import { NotFound, type Encryption } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { PoolClient } from 'pg';
import { openActionHeaders } from './action-headers.js';
import { actionOf } from './action-row.js';
import type { ToolParts } from './create-tool.js';
import { findTool } from './find-tool.js';
import { withKeptSecrets } from './kept-secrets.js';
import type { NewAction, ToolChanges } from './new-tool.js';
import { noteTool } from './note-tool.js';
import type { AgentOfAccount } from './tool.js';
import type { ToolRow } from './tool-row.js';
import { insertActions, withFreeName } from './write-tool.js';

const UPDATE = {
  name: 'update-tool',
  text: `UPDATE tools SET name = coalesce($4, name), description = coalesce($5, description),
      is_active = coalesce($6, is_active), parameters = coalesce($7, parameters), updated_at = now()
    WHERE account_id = $1 AND agent_id = $2 AND id = $3`,
};

/**
 * All changes in one transaction, one update of a tool at a time. Throws NotFound, and InvalidFields (the name is taken, or a
 * masked header stands for nothing).
 */
export async function updateTool(
  { pool, encryption }: ToolParts,
  agent: AgentOfAccount & Acting,
  id: number,
  changes: ToolChanges,
): Promise<ToolRow> {
  if (Object.values(changes).every((value) => value === undefined)) return findTool(pool, agent, id);
  const { name, description, isActive, parameters, actions } = changes;
  const given = [name ?? null, description ?? null, isActive ?? null, parameters ? JSON.stringify(parameters) : null];
  return inTransaction(pool, async (tx) => {
    const values = [agent.accountId, agent.agentId, id, ...given];
    const updated = await withFreeName(name, () => tx.query({ ...UPDATE, values }));
    if (updated.rowCount === 0) throw new NotFound('Tool');
    if (actions)
      await replaceActions(tx, encryption, await findTool(tx, agent, id), { accountId: agent.accountId, actions });
    const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    await noteTool(tx, agent, { action: 'tool.updated', id, details: { changed } });
    return findTool(tx, agent, id);
  });
}

const DELETE_ACTIONS = {
  name: 'delete-tool-actions',
  text: 'DELETE FROM tool_actions WHERE account_id = $1 AND tool_id = $2',
};

/** The tool's row is locked: what is read here is what is replaced. */
async function replaceActions(
  tx: PoolClient,
  encryption: Encryption,
  found: ToolRow,
  { accountId, actions }: { accountId: number; actions: readonly NewAction[] },
): Promise<void> {
  const stored = found.actions
    .map(actionOf)
    .map((action) => ({ name: action.name, url: action.url, headers: openActionHeaders(encryption, action) }));
  const headers = withKeptSecrets(actions, stored);
  await rows(tx, DELETE_ACTIONS, [accountId, found.id]);
  await insertActions(tx, encryption, { accountId, toolId: found.id }, actions, headers);
}
