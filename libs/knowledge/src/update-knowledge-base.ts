import type { Acting } from '@app/audit';
import { Conflict, InvalidFields, NotFound } from '@app/common';
import { inTransaction, rows } from '@app/database';
import type { Pool, PoolClient } from 'pg';
import { findKnowledgeBase } from './find-knowledge-base.js';
import { raiseKnowledgeVersion } from './generations.js';
import type { AgentOfAccount, KnowledgeBaseWithContent } from './knowledge-base-row.js';
import { noteKnowledgeBase } from './note-knowledge-base.js';
import { type Passages, passagesOf, serveText } from './text-passages.js';

/** What is absent stays as it is. */
export interface KnowledgeChanges {
  title?: string;
  content?: string;
  isActive?: boolean;
}

const UPDATE = {
  name: 'update-knowledge-base',
  text: `UPDATE knowledge_bases SET title = coalesce($4, title), is_active = coalesce($5, is_active),
      content = coalesce($6, content), generation = generation + CASE WHEN $7 THEN 1 ELSE 0 END, updated_at = now()
    WHERE account_id = $1 AND agent_id = $2 AND id = $3 AND generation = coalesce($8, generation) RETURNING generation`,
};

/**
 * All changes in one transaction: a search sees the old text or the new one, never neither. Throws NotFound, and InvalidFields
 * on `content` (of a file or URL, or too much of it).
 */
export async function updateKnowledgeBase(
  pool: Pool,
  agent: AgentOfAccount & Acting,
  id: number,
  changes: KnowledgeChanges,
): Promise<KnowledgeBaseWithContent> {
  const found = await findKnowledgeBase(pool, agent, id);
  const { title, content, isActive } = changes;
  if (content !== undefined && found.source_type !== 'text') throw notText(found.source_type);
  if (title === undefined && content === undefined && isActive === undefined) return found;
  const passages = content === undefined ? undefined : await passagesOf(content);
  return inTransaction(pool, async (tx) => {
    const updated = await apply(tx, agent, id, { changes, passages });
    if (!updated) throw new NotFound('Knowledge base');
    const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    await noteKnowledgeBase(tx, agent, { action: 'knowledge_base.updated', id, details: { changed } });
    return updated;
  });
}

/** Cuts the text into passages again. Throws Conflict when somebody else changed it meanwhile. */
export async function rebuildText(
  pool: Pool,
  agent: AgentOfAccount & Acting,
  found: KnowledgeBaseWithContent,
): Promise<KnowledgeBaseWithContent> {
  const passages = await passagesOf(found.content ?? '');
  return inTransaction(pool, async (tx) => {
    const rebuilt = await apply(tx, agent, found.id, { passages, generation: found.generation });
    if (!rebuilt) throw new Conflict('The knowledge base was changed meanwhile. Try again.');
    await noteKnowledgeBase(tx, agent, { action: 'knowledge_base.reprocessed', id: found.id });
    return rebuilt;
  });
}

/** `generation`: only while it is the newest. Undefined: there is no such row. */
async function apply(
  tx: PoolClient,
  agent: AgentOfAccount,
  id: number,
  { changes = {}, passages, generation }: { changes?: KnowledgeChanges; passages?: Passages; generation?: number },
): Promise<KnowledgeBaseWithContent | undefined> {
  const { accountId, agentId } = agent;
  const given = [changes.title ?? null, changes.isActive ?? null, changes.content ?? null, passages !== undefined];
  const values = [accountId, agentId, id, ...given, generation ?? null];
  const [updated] = await rows<{ generation: number }>(tx, UPDATE, values);
  if (!updated) return undefined;
  if (passages) await serveText(tx, { ...agent, knowledgeBaseId: id, generation: updated.generation }, passages);
  else await raiseKnowledgeVersion(tx, accountId, agentId);
  return findKnowledgeBase(tx, agent, id);
}

const notText = (sourceType: string): InvalidFields =>
  new InvalidFields({
    content: [
      `The content of a knowledge base made from a ${sourceType} cannot be changed. Reprocess it, or make a new one.`,
    ],
  });
