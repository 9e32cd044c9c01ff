import { createLog } from '@app/common';
import type { WakeUpsService } from '@app/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { databaseOver } from '../../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aWorkspace } from '../../../../test/support/factories.js';
import { type AgentOf, chunksIn } from '../../../../test/support/knowledge-rows.js';
import { statementsOf } from '../../../../test/support/statements-of.js';
import { EmbeddingCacheRepository } from '../embed/embedding-cache.repository.js';
import type { Embedder } from '../embed/embedder.js';
import { PassageVectorsService } from './passage-vectors.service.js';
import { PgvectorRepository } from './pgvector.repository.js';
import { VectorAnnouncementsService } from './vector-announcements.service.js';
import { VectorBackfillRepository } from './vector-backfill.repository.js';
import { VectorBackfillService } from './vector-backfill.service.js';
import { VectorIndexService } from './vector-index.service.js';

const MODEL = 'test@3';

let database: TestDatabase;
let pool: Pool;
let agents: AgentOf[];
let backfills: VectorBackfillRepository;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
  backfills = new VectorBackfillRepository(databaseOver(pool), chunksIn(pool));
  agents = [await aWorkspace(pool), await aWorkspace(pool), await aWorkspace(pool)];
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => pool.query('DELETE FROM knowledge_bases'));

interface Document {
  /** The account, as an index of `agents`. */
  of?: number;
  passages: number;
  /** Seconds since its passages are served. */
  age?: number;
  backlog?: boolean;
}

/** Documents whose vectors are missing. */
async function documents(given: readonly Document[]): Promise<number[]> {
  const text = `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, generation, serving, chunk_count,
      vectors_of, vectors_backlog, updated_at, content)
    SELECT d.account, d.agent, 'Document', 'text', 'completed', 1, 1, d.passages, d.passages, d.backlog, now() - d.age * interval '1 s',
        repeat('x', 1500)
      FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::boolean[], $5::integer[])
        WITH ORDINALITY AS d (account, agent, passages, backlog, age, at) ORDER BY at RETURNING id`;
  const columns = [
    given.map(({ of = 0 }) => agents[of]!.accountId),
    given.map(({ of = 0 }) => agents[of]!.agentId),
    given.map(({ passages }) => passages),
    given.map(({ backlog = false }) => backlog),
    given.map(({ age = 0 }) => age),
  ];
  return (await pool.query<{ id: number }>(text, columns)).rows.map(({ id }) => id);
}

const lease = (leaseMs = 60_000) => ({ owner: 'worker', leaseMs });

/** The documents in the order of their units, as places in `ids`, if one unit completes each. */
async function order(ids: readonly number[], most = ids.length): Promise<number[]> {
  const places: number[] = [];
  for (let last = 0; places.length < most;) {
    const work = await backfills.claim(MODEL, lease(), last);
    if (!work) break;
    last = work.account_id;
    places.push(ids.indexOf(work.id));
    await pool.query('UPDATE knowledge_bases SET vectors_generation = serving, vectors_until = NULL WHERE id = $1', [
      work.id,
    ]);
  }
  return places;
}

describe('the next document whose vectors are added', () => {
  it.each<[string, Document[], number[]]>([
    [
      'is the newest of an account',
      [
        { passages: 5, age: 20 },
        { passages: 9, age: 5 },
        { passages: 3, age: 90 },
      ],
      [1, 0, 2],
    ],
    [
      'is a short one before a newer long one',
      [
        { passages: 9_000, age: 0 },
        { passages: 600, age: 1 },
        { passages: 20, age: 90 },
        { passages: 100, age: 2 },
      ],
      [2, 3, 1, 0],
    ],
    [
      'is of each account in turn',
      [
        { of: 0, passages: 1, age: 3 },
        { of: 0, passages: 1, age: 2 },
        { of: 0, passages: 1, age: 1 },
        { of: 1, passages: 50_000, age: 9 },
        { of: 2, passages: 300, age: 900 },
      ],
      [2, 3, 4, 1, 0],
    ],
    [
      'is a new one before all that wait for a new model',
      [
        { of: 0, passages: 1, backlog: true },
        { of: 1, passages: 1, backlog: true },
        { of: 2, passages: 5_000, age: 60 },
        { of: 1, passages: 400, age: 60 },
      ],
      [3, 2, 0, 1],
    ],
  ])('%s', async (_, given, expected) => {
    expect(await order(await documents(given))).toEqual(expected);
  });

  it('is the second one after a thousand of another account', async () => {
    const ids = await documents([
      ...Array.from({ length: 1_000 }, () => ({ of: 0, passages: 1 })),
      { of: 1, passages: 40, age: 60 },
    ]);
    expect((await order(ids, 2))[1]).toBe(1_000);
  });

  it('is none that another worker has, until its lease ends', async () => {
    const [id] = await documents([{ passages: 1 }]);
    expect((await backfills.claim(MODEL, lease(), 0))?.id).toBe(id);
    expect(await backfills.claim(MODEL, lease(), 0)).toBeUndefined();
    await pool.query(`UPDATE knowledge_bases SET vectors_until = now() - interval '1 s'`);
    expect((await backfills.claim(MODEL, lease(), 0))?.id).toBe(id);
  });
});

it('2,000 documents with 100,000 passages are never read as a whole: every statement of a unit uses an index', async () => {
  const { accountId, agentId } = agents[0]!;
  await documents(Array.from({ length: 2_000 }, (_, at) => ({ of: at % 3, passages: 50, age: at })));
  await pool.query(
    `INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, start_offset, end_offset, tokens)
     SELECT account_id, agent_id, id, 1, n, 'passage ' || n || ' of ' || id, 0, 1, 1 FROM knowledge_bases, generate_series(0, 49) n`,
  );
  await pool.query(
    `UPDATE knowledge_bases SET vectors_generation = 1, vectors_model = 'other@3' WHERE account_id <> $1`,
    [accountId],
  );
  await pool.query(
    `INSERT INTO embedding_cache (account_id, model, hash, embedding)
     SELECT $1, $2, sha256(n::text::bytea), '\\x00' FROM generate_series(1, 20000) n`,
    [accountId, MODEL],
  );
  await pool.query('ANALYZE');
  const embedder: Embedder = {
    model: MODEL,
    dimensions: 3,
    embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(1, 0, 0))),
    embedQuery: () => Promise.reject(new Error('no question is asked')),
  };
  const over = databaseOver(pool);
  const log = createLog({ level: 'silent', role: 'test' });
  const backfill = new VectorBackfillService(
    backfills,
    new VectorAnnouncementsService(backfills),
    { embedder },
    new PassageVectorsService({ embedder }, new EmbeddingCacheRepository(over)),
    new VectorIndexService(new PgvectorRepository(over, log), { embedder }),
    { wakeNext: () => undefined } as unknown as WakeUpsService,
    'worker',
    log,
  );
  const sent = await statementsOf(pool, async () => {
    // A document of 50 passages takes two units, and the last statement of nothing to do is that of the idle worker.
    expect([await backfill.completeNext(), await backfill.completeNext()]).toEqual([true, true]);
    await backfills.announce({ accountId, agentId });
    await pool.query('UPDATE knowledge_bases SET vectors_generation = serving WHERE account_id = $1', [accountId]);
    expect(await backfill.completeNext()).toBe(true);
    await backfills.unannounced();
  });
  const statements = sent.filter(({ text }) => /knowledge_(?:bases|chunks)|embedding_cache/.test(text));
  expect(statements.length).toBeGreaterThan(10);
  for (const { text, values } of statements.filter(({ text }) => !text.includes('= serving WHERE account_id = $1'))) {
    const plan = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(`${text}\n${lines}`.slice(0, 5_000)).not.toMatch(/Seq Scan on (?:knowledge_|embedding_)/);
  }
  await backfill.stop();
});
