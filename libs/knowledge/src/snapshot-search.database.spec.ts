import { createLog, loadEnv } from '@app/common';
import { AgentIndexCacheService } from './search/agent-index-cache.service.js';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { DenseSearchService } from './search/knowledge-search.service.js';
import { type Embedder } from './embed/embedder.js';
import { type Generation } from './knowledge-chunks.repository.js';
import { KnowledgeSearchRepository } from './search/knowledge-search.repository.js';
import { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
import { PassageVectorsService } from './vectors/passage-vectors.service.js';
import { PlainVectorStore } from './vectors/plain-vector-store.js';
import { SnapshotSearchService } from './search/snapshot-search.service.js';
import { TestRunnerService } from './retrieval-tests/test-runner.service.js';
import { TestRunsRepository } from './retrieval-tests/test-runs.repository.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { pino } from 'pino';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { type AgentOf, aGeneration, aKnowledgeBase, chunksOf, serve } from '../../../test/support/knowledge-rows.js';

const MODEL = 'test@3';
const DIRECTIONS = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
].map((numbers) => Float32Array.from(numbers));
const log = createLog({ level: 'silent', role: 'test' });
const { signal } = new AbortController();
const options = { limit: 2, signal };

let database: TestDatabase;
let pool: Pool;
let agent: AgentOf;
let base: number;
let searches: SnapshotSearchService;
let indexes: AgentIndexCacheService;
/** A query means the direction of its last digit. */
let isDown: boolean;

const embedder: Embedder = {
  model: MODEL,
  dimensions: 3,
  embed: (texts) => Promise.resolve(texts.map(() => DIRECTIONS[2]!)),
  embedQuery: (text) =>
    isDown ? Promise.reject(new Error('down')) : Promise.resolve(DIRECTIONS[Number(text.at(-1))]!),
};

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  isDown = false;
  agent = await aWorkspace(pool);
  base = await aKnowledgeBase(pool, agent);
  const over = databaseOver(pool);
  const [repository, vectors] = [new KnowledgeSearchRepository(over), new ChunkVectorsRepository(over)];
  indexes = new AgentIndexCacheService(repository, loadEnv({}), log);
  const store = new PlainVectorStore(vectors, log, { model: MODEL, dimensions: 3 }, 1_000_000);
  const dense = new DenseSearchService({ embedder }, store, log);
  const made = new PassageVectorsService({ embedder }, new EmbeddingCacheRepository(over));
  searches = new SnapshotSearchService(indexes, repository, dense, { embedder }, vectors, made, log);
});

/** A generation with a chunk per text; texts share no words with the queries. */
const built = (texts: string[], of = base): Promise<Generation> =>
  aGeneration(pool, agent, of, chunksOf(texts, DIRECTIONS, MODEL));

const compare = (candidate: Generation, query: string) =>
  searches.compare(agent, candidate, [query], options, async (search) => {
    const { current, candidate: then } = await search(query);
    return { current: current[0]?.text, candidate: then[0]?.text };
  });

describe('a search of retrieval tests', () => {
  it('finds passages by their vectors, and fails if the embedder does', async () => {
    await serve(pool, await built(['alpha', 'beta', 'gamma']));
    const best = () =>
      searches.run(agent, ['query 1'], options, async (search, version) => [
        (await search('query 1')).passages[0]?.text,
        version,
      ]);
    expect(await best()).toEqual(['beta', '1']);
    isDown = true;
    await expect(best()).rejects.toThrow('down');
  });

  it('finds passages of an agent without knowledge nowhere', async () => {
    const found = await searches.run(agent, ['query 1'], options, (search) => search('query 1'));
    expect(found).toEqual({ passages: [], byWords: [] });
  });
});

describe('a run of retrieval tests with an embedder', () => {
  it('warns of one that loses answers that words alone find', async () => {
    await serve(pool, await built(['alpha', 'beta', 'gamma']));
    await pool.query(
      `INSERT INTO knowledge_tests (account_id, agent_id, questions, expected_text, within)
       VALUES ($1, $2, '{alpha 1}', 'alpha', 1), ($1, $2, '{alpha 0}', 'alpha', 1)`,
      [agent.accountId, agent.agentId],
    );
    const lines: { msg: string; passed?: number; passed_by_words?: number }[] = [];
    const warned = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
    const over = databaseOver(pool);
    const noAudit = { recordOfAgent: () => Promise.reject(new Error('no test passed before')) };
    const runner = new TestRunnerService(over, new TestRunsRepository(over), searches, noAudit, warned);
    const { tests } = await runner.run(agent, signal);
    expect(tests.map(({ passed, passedByWords }) => [passed, passedByWords])).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(lines).toMatchObject([{ msg: expect.stringContaining('loses answers'), passed: 1, passed_by_words: 2 }]);
  });
});

describe('a comparison with a candidate', () => {
  it('uses the vectors of the candidate instead of those of the serving generation, which stays served', async () => {
    await serve(pool, await built(['alpha', 'beta', 'gamma']));
    const candidate = await built(['delta', 'epsilon']);
    expect(await compare(candidate, 'query 1')).toEqual({ current: 'beta', candidate: 'epsilon' });
    expect((await compare(candidate, 'query 2')).current).toBe('gamma');
    expect((await compare(candidate, 'query 2')).candidate).not.toBe('gamma');
    const current = await indexes.current(agent);
    expect(current.chunks).toBe(3);
  });

  it('includes the other knowledge bases of the agent', async () => {
    await serve(pool, await built(['alpha', 'beta', 'gamma']));
    const other = await aKnowledgeBase(pool, agent);
    await serve(pool, await built(['zeta'], other));
    expect(await compare(await built(['delta epsilon']), 'zeta 1')).toMatchObject({ candidate: 'zeta' });
  });

  it('embeds a few new passages of the candidate, whose vectors would follow', async () => {
    await serve(pool, await built(['alpha', 'beta']));
    const candidate = await aGeneration(pool, agent, base, chunksOf(['alpha', 'beta', 'a new one']));
    expect(await compare(candidate, 'query 2')).toMatchObject({ candidate: 'a new one' });
  });

  it.each([
    ['the embedder fails', ['alpha and more', 'delta'], true],
    [
      'many passages of the candidate are new',
      ['alpha and more', ...Array.from({ length: 40 }, (_, i) => `new${'x'.repeat(i)}`)],
      false,
    ],
  ])('compares words on both sides if %s', async (_, texts, fails) => {
    await serve(pool, await built(['alpha', 'beta']));
    const candidate = await aGeneration(pool, agent, base, chunksOf(texts));
    isDown = fails;
    expect(await compare(candidate, 'alpha 1')).toEqual({ current: 'alpha', candidate: 'alpha and more' });
    expect(await compare(candidate, 'query 1')).toEqual({ current: undefined, candidate: undefined });
  });

  it('finds no candidate of another account', async () => {
    await serve(pool, await built(['alpha']));
    const stranger = await aWorkspace(pool);
    const theirs = await aKnowledgeBase(pool, stranger);
    const candidate = await aGeneration(pool, stranger, theirs, chunksOf(['alpha saffron'], DIRECTIONS, MODEL));
    expect(await compare(candidate, 'alpha 0')).toEqual({ current: 'alpha', candidate: 'alpha' });
    expect((await compare(candidate, 'saffron 0')).candidate).toBe('alpha');
  });
});
