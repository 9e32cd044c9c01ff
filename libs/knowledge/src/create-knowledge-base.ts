import { heldStorageProblem, storageProblemOf } from '@app/accounts';
import type { Acting } from '@app/audit';
import { Conflict, InvalidFields, newId, NotFound } from '@app/common';
import { findKeptAnswer, type IdempotencyKey, inTransaction, keepAnswer, rows, type Sql } from '@app/database';
import type { DocumentJob } from '@app/queue';
import type { Storage } from '@app/storage';
import type { Pool, PoolClient } from 'pg';
import type { FileType } from './file-name.js';
import { findKnowledgeBase, requireAgent } from './find-knowledge-base.js';
import type { Generation } from './generations.js';
import type { AgentOfAccount, KnowledgeStatus, SourceType } from './knowledge-base-row.js';
import { knowledgeBaseView, type KnowledgeBaseView } from './knowledge-base-view.js';
import { noteKnowledgeBase } from './note-knowledge-base.js';
import { passagesOf, serveText } from './text-passages.js';

export interface KnowledgeParts {
  pool: Pool;
  storage: Storage;
  /** Knowledge bases one agent may have. */
  basesPerAgent: number;
  /** Called after the commit; correctness does not depend on it. */
  announce: (job: DocumentJob) => void;
}

export interface CreatedKnowledgeBase {
  view: KnowledgeBaseView;
  /** The request was a repetition: this is the answer to the first one. */
  replayed: boolean;
}

/** A file that was received whole; it is moved into the storage. */
export interface ReceivedFile {
  path: string;
  /** For people, see shownFileName. */
  name: string;
  type: FileType;
  bytes: number;
}

/** What a row begins with; the first generation is 1. */
interface NewRow {
  title: string;
  sourceType: SourceType;
  status: KnowledgeStatus;
  content?: string;
  url?: string;
  file?: ReceivedFile & { key: string };
}

/**
 * Text can be searched when this resolves. Throws NotFound, Conflict (the agent has too many, or the key came with another
 * body) and InvalidFields.
 */
export async function createText(
  parts: KnowledgeParts,
  agent: AgentOfAccount & Acting,
  { title, content }: { title: string; content: string },
  key?: IdempotencyKey,
): Promise<CreatedKnowledgeBase> {
  const earlier = await replay(parts.pool, agent, key, content);
  if (earlier) return earlier;
  await requireAgent(parts.pool, agent);
  const passages = await passagesOf(content);
  return create(parts, agent, { title, sourceType: 'text', status: 'completed', content }, key, (tx, place) =>
    serveText(tx, place, passages),
  );
}

/** The page is fetched by a worker. Throws as createText does. */
export async function createUrl(
  parts: KnowledgeParts,
  agent: AgentOfAccount & Acting,
  { title, url }: { title: string; url: string },
  key?: IdempotencyKey,
): Promise<CreatedKnowledgeBase> {
  return (
    (await replay(parts.pool, agent, key)) ??
    (await create(parts, agent, { title, sourceType: 'url', status: 'pending', url }, key))
  );
}

/**
 * The file is read by a worker. Throws as createText does, and InvalidFields when the file does not fit into the account's
 * storage. The file is in the storage before the row is: a process that dies in between leaves a file that no row refers to, not
 * a row without its file.
 */
export async function createFile(
  parts: KnowledgeParts,
  agent: AgentOfAccount & Acting,
  { title, file }: { title: string; file: ReceivedFile },
  key?: IdempotencyKey,
): Promise<CreatedKnowledgeBase> {
  const earlier = await replay(parts.pool, agent, key);
  if (earlier) return earlier;
  await requireAgent(parts.pool, agent);
  requireRoom(await storageProblemOf(parts.pool, agent.accountId, file.bytes));
  const fileKey = `knowledge/${agent.accountId}/${newId()}.${file.type}`;
  await parts.storage.put(fileKey, file.path);
  const row: NewRow = { title, sourceType: 'file', status: 'pending', file: { ...file, key: fileKey } };
  try {
    const created = await create(parts, agent, row, key);
    if (created.replayed) await parts.storage.delete(fileKey);
    return created;
  } catch (error) {
    await parts.storage.delete(fileKey);
    throw error;
  }
}

/** The answer is kept without the content, which a repetition brings along. */
const keptText = (view: KnowledgeBaseView): string => JSON.stringify({ ...view, content: null });

async function replay(
  sql: Sql,
  { accountId }: AgentOfAccount,
  key: IdempotencyKey | undefined,
  content: string | null = null,
): Promise<CreatedKnowledgeBase | undefined> {
  const kept = key && (await findKeptAnswer(sql, accountId, key));
  return kept === undefined
    ? undefined
    : { view: { ...(JSON.parse(kept) as KnowledgeBaseView), content }, replayed: true };
}

/** Another request with the key was faster: everything of this one is taken back. */
class KeyTaken extends Error {}

async function create(
  parts: KnowledgeParts,
  agent: AgentOfAccount & Acting,
  row: NewRow,
  key?: IdempotencyKey,
  serve?: (tx: PoolClient, place: Generation) => Promise<void>,
): Promise<CreatedKnowledgeBase> {
  try {
    const view = await inTransaction(parts.pool, async (tx) => {
      await holdRoom(tx, agent, parts.basesPerAgent);
      const knowledgeBaseId = await insert(tx, agent, row);
      await serve?.(tx, { ...agent, knowledgeBaseId, generation: 1 });
      const details = { title: row.title, source_type: row.sourceType };
      await noteKnowledgeBase(tx, agent, { action: 'knowledge_base.created', id: knowledgeBaseId, details });
      const made = knowledgeBaseView(await findKnowledgeBase(tx, agent, knowledgeBaseId));
      if (key && !(await keepAnswer(tx, agent.accountId, key, keptText(made)))) throw new KeyTaken();
      if (row.file) requireRoom(await heldStorageProblem(tx, agent.accountId, row.file.bytes));
      return made;
    });
    if (row.status === 'pending') parts.announce({ knowledgeBaseId: view.id, generation: 1 });
    return { view, replayed: false };
  } catch (error) {
    const earlier = error instanceof KeyTaken && (await replay(parts.pool, agent, key, row.content));
    if (earlier) return earlier;
    throw error;
  }
}

function requireRoom(problem: string | undefined): void {
  if (problem !== undefined) throw new InvalidFields({ file: [`${problem} Delete files or recordings first.`] });
}

const LOCK_AGENT = {
  name: 'lock-agent',
  text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE',
};
const COUNT = {
  name: 'count-knowledge-bases',
  text: 'SELECT count(*)::integer AS total FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2',
};

/** Of two creations at once the second counts what the first has added. */
async function holdRoom(tx: Sql, { accountId, agentId }: AgentOfAccount, most: number): Promise<void> {
  const locked = await rows(tx, LOCK_AGENT, [accountId, agentId]);
  if (locked.length === 0) throw new NotFound('Agent');
  const [counted] = await rows<{ total: number }>(tx, COUNT, [accountId, agentId]);
  if ((counted?.total ?? 0) < most) return;
  const count = most.toLocaleString('en-US');
  throw new Conflict(`The agent has ${count} knowledge bases, which is the most. Delete one first.`);
}

const INSERT = {
  name: 'insert-knowledge-base',
  text: `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, content, source_reference, file_name,
      file_size, file_type, file_key, generation, next_attempt_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, CASE WHEN $5 = 'pending' THEN now() END) RETURNING id`,
};

async function insert(tx: Sql, { accountId, agentId }: AgentOfAccount, row: NewRow): Promise<number> {
  const file = row.file ? [row.file.name, row.file.bytes, row.file.type, row.file.key] : [null, null, null, null];
  const source = [row.title, row.sourceType, row.status, row.content ?? null, row.url ?? null];
  const [inserted] = await rows<{ id: number }>(tx, INSERT, [accountId, agentId, ...source, ...file]);
  if (!inserted) throw new Error('INSERT gave no row.');
  return inserted.id;
}
