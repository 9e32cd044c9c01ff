import { inTransaction, migrate } from '@app/database';
import type { SearchedAgent } from '@app/knowledge';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { startEmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import { chunksIn } from '../test/support/knowledge-rows.js';

/** Two empty databases of the service. */
export interface KnowledgeDatabases {
  pools: [Pool, Pool];
  stop(): Promise<void>;
}

/** Uses a separate PostgreSQL with temporary data. */
export async function startKnowledgeDatabases(): Promise<KnowledgeDatabases> {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  // As root, PostgreSQL runs as another user, which needs access to the folder.
  chmodSync(home, 0o711);
  const server = await startEmbeddedPostgres({ home, durable: false });
  const pools: [Pool, Pool] = [
    await migrated(server.url, 'knowledge_many'),
    await migrated(server.url, 'knowledge_one'),
  ];
  return {
    pools,
    stop: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function migrated(serverUrl: string, name: string): Promise<Pool> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const pool = new Pool({ connectionString: url.href });
  // The server may stop before the last connection is closed.
  pool.on('error', () => {});
  return pool;
}

export async function anAgent(pool: Pool, name: string): Promise<SearchedAgent> {
  const account = await pool.query<{ id: number }>('INSERT INTO accounts (name) VALUES ($1) RETURNING id', [name]);
  const accountId = account.rows[0]!.id;
  const text = 'INSERT INTO agents (account_id, name) VALUES ($1, $2) RETURNING id';
  const agent = await pool.query<{ id: number }>(text, [accountId, name]);
  return { accountId, agentId: agent.rows[0]!.id };
}

/** Creates completed knowledge bases with this many chunks. @returns their ids. */
export async function fill(
  pool: Pool,
  agent: SearchedAgent,
  texts: Iterable<string>,
  perBase = 10_000,
): Promise<number[]> {
  const ids: number[] = [];
  let batch: string[] = [];
  const write = async (): Promise<void> => {
    if (batch.length > 0) ids.push(await aServedBase(pool, agent, batch));
    batch = [];
  };
  for (const text of texts) {
    if (batch.push(text) === perBase) await write();
  }
  await write();
  return ids;
}

async function aServedBase(pool: Pool, agent: SearchedAgent, texts: string[]): Promise<number> {
  const text = `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, generation, next_attempt_at)
    VALUES ($1, $2, '', 'text', 1, now()) RETURNING id`;
  const { rows } = await pool.query<{ id: number }>(text, [agent.accountId, agent.agentId]);
  const place = { ...agent, knowledgeBaseId: rows[0]!.id, generation: 1 };
  let start = 0;
  const chunks = texts.map((chunk, ordinal) => {
    const from = start;
    start += chunk.length;
    return { ordinal, text: chunk, headingPath: [], start: from, end: start, tokens: 240 };
  });
  await chunksIn(pool).insert(place, chunks);
  await inTransaction(pool, (tx) => chunksIn(pool).swap(place, { words: 0, characters: start }, tx));
  return place.knowledgeBaseId;
}

/** A change of one knowledge base: the next search of the agent indexes it again. */
export async function retitle(
  pool: Pool,
  { agentId }: Pick<SearchedAgent, 'agentId'>,
  knowledgeBaseId: number,
  title: string,
): Promise<void> {
  await pool.query(`UPDATE knowledge_bases SET title = $2 WHERE id = $1`, [knowledgeBaseId, title]);
  await pool.query('UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE id = $1', [agentId]);
}
