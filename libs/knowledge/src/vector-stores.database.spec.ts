import { createLog } from '@app/common';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';
import { PgvectorStore } from './vectors/pgvector-store.js';
import { VectorIndexService } from './vectors/vector-index.service.js';
import { PlainVectorStore } from './vectors/plain-vector-store.js';
import { expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase } from '../../../test/support/database.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { aGeneration, aKnowledgeBase, chunksOf, serve, versionOf } from '../../../test/support/knowledge-rows.js';
import { openPGlitePool } from '../../../test/support/pglite-pool.js';
import {
  aVector,
  describeVectorStore,
  DIMENSIONS,
  MODEL,
  type StoreUnderTest,
} from '../../../test/support/vector-store-behaviour.js';

const log = createLog({ level: 'silent', role: 'test' });
const scope = { model: MODEL, dimensions: DIMENSIONS };
const pgvectorIn = (pool: Pool): PgvectorRepository => new PgvectorRepository(databaseOver(pool), log);
const indexIn = (pool: Pool): VectorIndexService => new VectorIndexService(pgvectorIn(pool), { embedder: scope });

describeVectorStore('this process', async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.url, max: 4 });
  const index = indexIn(pool);
  await index.onModuleInit();
  return {
    pool,
    store: new PlainVectorStore(new ChunkVectorsRepository(databaseOver(pool)), log, scope, 1_000_000),
    add: (place) => index.add(place),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
});

const openPgvector = async (): Promise<StoreUnderTest> => {
  const { pool, close } = await openPGlitePool();
  const index = indexIn(pool);
  await index.onModuleInit();
  return { pool, store: new PgvectorStore(pgvectorIn(pool), scope), add: (place) => index.add(place), close };
};

describeVectorStore('pgvector', openPgvector, (subject) => {
  it('have an index by knowledge base, also in a table of an earlier release', async () => {
    const { pool } = subject();
    const isIndexed = async () =>
      (await pool.query(`SELECT to_regclass('knowledge_vectors_base') IS NOT NULL AS found`)).rows[0]?.found as boolean;
    expect(await isIndexed()).toBe(true);
    await pool.query('DROP INDEX knowledge_vectors_base');
    await indexIn(pool).ensure();
    expect(await isIndexed()).toBe(true);
  });

  it('go through an HNSW index for a large agent, and are as many as asked of a small part of the table', async () => {
    const { pool, add } = subject();
    const [large, small] = [await aWorkspace(pool), await aWorkspace(pool)];
    for (const [agent, count] of [
      [large, 3_000],
      [small, 40],
    ] as const) {
      const vectors = Array.from({ length: count }, () => aVector());
      const id = await aKnowledgeBase(pool, agent);
      const place = await aGeneration(pool, agent, id, chunksOf(vectors.map(String), vectors, MODEL));
      await add(place);
      await serve(pool, place);
    }
    await pool.query(`UPDATE knowledge_bases SET vectors_model = $1, chunk_count = 20001`, [MODEL]);
    const index = indexIn(pool);
    await index.ensure();
    await index.ensure();
    // So few rows are sorted sooner than walked to.
    await pool.query('SET enable_sort = off');
    const indexed = new PgvectorStore(pgvectorIn(pool), scope, 0);
    const exact = new PgvectorStore(pgvectorIn(pool), scope);
    for (const agent of [large, small]) {
      const versioned = { ...agent, version: await versionOf(pool, agent) };
      const query = aVector();
      const expected = (await exact.nearest(versioned, query, 20)).map(({ chunkId }) => chunkId);
      const found = (await indexed.nearest(versioned, query, 20)).map(({ chunkId }) => chunkId);
      expect(found).toHaveLength(20);
      expect(found.filter((id) => expected.includes(id)).length).toBeGreaterThanOrEqual(19);
    }
    await pool.query('RESET enable_sort');
    await pool.query('SELECT pg_stat_force_next_flush()');
    const used = await pool.query<{ idx_scan: string }>(
      `SELECT idx_scan FROM pg_stat_user_indexes WHERE relname = 'knowledge_vectors' AND indexrelname ~ '_[0-9a-f]{16}$'`,
    );
    expect(used.rows).toEqual([{ idx_scan: expect.stringMatching(/[1-9]/) }]);
  });
});
