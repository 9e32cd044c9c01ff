import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@app/database';
import { type Chunk } from './blocks.js';
import { type Generation, type KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { chunksIn } from '../../../test/support/knowledge-rows.js';

let database: TestDatabase;
let pool: Pool;
let own: Workspace;
let repository: KnowledgeChunksRepository;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url });
  own = await aWorkspace(pool);
  repository = chunksIn(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const aChunk = (ordinal: number, text = `passage ${ordinal}`): Chunk => ({
  ordinal,
  text,
  headingPath: ordinal % 2 === 0 ? [] : ['Terms', 'Refunds, "returned"'],
  ...(ordinal === 1 && { page: 3, rows: { first: 2, last: 5 } }),
  start: ordinal * 10,
  end: ordinal * 10 + 9,
  tokens: 2,
});

/** A knowledge base with generation 1 under construction. */
async function building(): Promise<Generation> {
  const { accountId, agentId } = own;
  const text = `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, generation, next_attempt_at)
    VALUES ($1, $2, 'Terms', 'url', 1, now()) RETURNING id`;
  const { rows } = await pool.query<{ id: number }>(text, [accountId, agentId]);
  return { accountId, agentId, knowledgeBaseId: rows[0]!.id, generation: 1 };
}

const stored = async (place: Generation) =>
  (await pool.query('SELECT * FROM knowledge_chunks WHERE knowledge_base_id = $1 ORDER BY id', [place.knowledgeBaseId]))
    .rows as Record<string, unknown>[];
const knowledgeBase = async (place: Generation) =>
  (await pool.query('SELECT * FROM knowledge_bases WHERE id = $1', [place.knowledgeBaseId])).rows[0] as Record<
    string,
    unknown
  >;
const version = async () => Number((await pool.query(`SELECT max(knowledge_version) AS v FROM agents`)).rows[0].v);
const swap = (place: Generation, facts = { words: 4, characters: 20 }) =>
  inTransaction(pool, (tx) => repository.swap(place, facts, tx));

describe('a generation of chunks', () => {
  it('is written in batches and swapped in atomically', async () => {
    const place = await building();
    const chunks = Array.from({ length: 1_201 }, (_, ordinal) => aChunk(ordinal));
    expect(await repository.insert(place, chunks)).toBe(true);
    expect(await knowledgeBase(place)).toMatchObject({ serving: null, status: 'pending', chunk_count: 0 });
    const before = await version();
    expect(await swap(place)).toBe(true);
    expect(await knowledgeBase(place)).toMatchObject({
      serving: 1,
      status: 'completed',
      chunk_count: 1_201,
      word_count: 4,
    });
    expect(await version()).toBe(before + 1);
    const found = await stored(place);
    expect(found.map((row) => row.ordinal)).toEqual(chunks.map((chunk) => chunk.ordinal));
    expect(found[0]).toMatchObject({ heading_path: [], page: null, first_row: null, embedding: null });
    expect(found[1]).toMatchObject({
      heading_path: ['Terms', 'Refunds, "returned"'],
      page: 3,
      first_row: 2,
      last_row: 5,
    });
  });

  it('replaces the previous one and keeps validators that are not given', async () => {
    const first = await building();
    await repository.insert(first, [aChunk(0), aChunk(1)]);
    await inTransaction(pool, (tx) =>
      repository.swap(first, { words: 4, characters: 20, etag: '"a"', lastModified: 'x' }, tx),
    );
    const second = { ...first, generation: 2 };
    await pool.query('UPDATE knowledge_bases SET generation = 2 WHERE id = $1', [first.knowledgeBaseId]);
    await repository.insert(second, [aChunk(0, 'new')]);
    expect((await stored(first)).map((row) => row.text)).toEqual(['passage 0', 'passage 1', 'new']);
    await inTransaction(pool, (tx) => repository.swap(second, { words: 1, characters: 3, lastModified: null }, tx));
    expect((await stored(first)).map((row) => row.text)).toEqual(['new']);
    expect(await knowledgeBase(first)).toMatchObject({ serving: 2, chunk_count: 1, etag: '"a"', last_modified: null });
  });

  it('is neither written nor swapped in if it is no longer the newest', async () => {
    const place = await building();
    await pool.query('UPDATE knowledge_bases SET generation = 2 WHERE id = $1', [place.knowledgeBaseId]);
    const before = await version();
    expect(await repository.insert(place, [aChunk(0)])).toBe(false);
    expect(await swap(place)).toBe(false);
    expect(await stored(place)).toEqual([]);
    expect(await version()).toBe(before);
  });

  it('is not written for a deleted knowledge base or another account', async () => {
    const place = await building();
    expect(await repository.insert({ ...place, accountId: place.accountId + 1 }, [aChunk(0)])).toBe(false);
    await repository.insert(place, [aChunk(0)]);
    await pool.query('DELETE FROM knowledge_bases WHERE id = $1', [place.knowledgeBaseId]);
    expect(await stored(place)).toEqual([]);
    expect(await repository.insert(place, [aChunk(1)])).toBe(false);
    expect(await swap(place)).toBe(false);
  });

  it('is not swapped in if the agent would have too many passages', async () => {
    const [full, place] = [await building(), await building()];
    await pool.query('UPDATE knowledge_bases SET chunk_count = 500000 WHERE id = $1', [full.knowledgeBaseId]);
    await repository.insert(place, [aChunk(0)]);
    await expect(swap(place)).rejects.toThrow('must not have more than 500,000 passages');
    expect(await knowledgeBase(place)).toMatchObject({ serving: null });
  });
});
