import type { Acting } from '@app/audit';
import { Conflict, NotFound, type Encryption } from '@app/common';
import { findKeptAnswer, type IdempotencyKey, inTransaction, keepAnswer, rows, type Sql } from '@app/database';
import type { Pool } from 'pg';
import { shownHeaders } from './action-headers.js';
import { findTool } from './find-tool.js';
import { withKeptSecrets } from './kept-secrets.js';
import { TOOLS_PER_AGENT } from './limits.js';
import { headersOf, type NewTool } from './new-tool.js';
import { noteTool } from './note-tool.js';
import type { AgentOfAccount } from './tool.js';
import { toolView, type ToolView } from './tool-view.js';
import { insertActions, withFreeName } from './write-tool.js';

export interface ToolParts {
  pool: Pool;
  encryption: Encryption;
}

export interface CreatedTool {
  view: ToolView;
  /** The request was a repetition: this is the answer to the first one. */
  replayed: boolean;
}

/** Another request with the key was faster: everything of this one is taken back. */
class KeyTaken extends Error {}

/**
 * Throws NotFound, Conflict (the agent has TOOLS_PER_AGENT, or the key came with another body) and InvalidFields (the name is
 * taken, or a masked header stands for nothing).
 */
export async function createTool(
  { pool, encryption }: ToolParts,
  agent: AgentOfAccount & Acting,
  tool: NewTool,
  key?: IdempotencyKey,
): Promise<CreatedTool> {
  const earlier = await replay(pool, agent, tool, key);
  if (earlier) return earlier;
  const headers = withKeptSecrets(tool.actions, []);
  try {
    const view = await inTransaction(pool, async (tx) => {
      await holdRoom(tx, agent);
      const toolId = await withFreeName(tool.name, () => insert(tx, agent, tool));
      await insertActions(tx, encryption, { accountId: agent.accountId, toolId }, tool.actions, headers);
      await noteTool(tx, agent, { action: 'tool.created', id: toolId, details: { name: tool.name } });
      const made = toolView(await findTool(tx, agent, toolId), encryption);
      if (key && !(await keepAnswer(tx, agent.accountId, key, keptText(made)))) throw new KeyTaken();
      return made;
    });
    return { view, replayed: false };
  } catch (error) {
    // The first request with the key may have ended meanwhile: then its name is taken, and its answer is the one to give.
    const first = await replay(pool, agent, tool, key);
    if (first) return first;
    throw error;
  }
}

/** The answer is kept without the values of headers, which a repetition brings along. */
const keptText = (view: ToolView): string =>
  JSON.stringify({ ...view, webhook_actions: view.webhook_actions.map((action) => ({ ...action, headers: null })) });

async function replay(
  sql: Sql,
  { accountId }: AgentOfAccount,
  tool: NewTool,
  key: IdempotencyKey | undefined,
): Promise<CreatedTool | undefined> {
  const kept = key && (await findKeptAnswer(sql, accountId, key));
  if (kept === undefined) return undefined;
  const view = JSON.parse(kept) as ToolView;
  const shown = tool.actions.map((action) => shownHeaders(headersOf(action)));
  const actions = view.webhook_actions.map((action, index) => ({ ...action, headers: shown[index] ?? null }));
  return { view: { ...view, webhook_actions: actions }, replayed: true };
}

const LOCK_AGENT = {
  name: 'lock-agent-of-tools',
  text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE',
};
const COUNT = {
  name: 'count-tools',
  text: 'SELECT count(*)::integer AS total FROM tools WHERE account_id = $1 AND agent_id = $2',
};

/** Of two creations at once the second counts what the first has added. */
async function holdRoom(tx: Sql, { accountId, agentId }: AgentOfAccount): Promise<void> {
  const locked = await rows(tx, LOCK_AGENT, [accountId, agentId]);
  if (locked.length === 0) throw new NotFound('Agent');
  const [counted] = await rows<{ total: number }>(tx, COUNT, [accountId, agentId]);
  if ((counted?.total ?? 0) < TOOLS_PER_AGENT) return;
  throw new Conflict(`The agent has ${TOOLS_PER_AGENT} tools, which is the most. Delete one first.`);
}

const INSERT = {
  name: 'insert-tool',
  text: `INSERT INTO tools (account_id, agent_id, name, description, is_active, parameters)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
};

async function insert(tx: Sql, { accountId, agentId }: AgentOfAccount, tool: NewTool): Promise<number> {
  const values = [tool.name, tool.description, tool.isActive, JSON.stringify(tool.parameters)];
  const [inserted] = await rows<{ id: number }>(tx, INSERT, [accountId, agentId, ...values]);
  if (!inserted) throw new Error('INSERT gave no row.');
  return inserted.id;
}
