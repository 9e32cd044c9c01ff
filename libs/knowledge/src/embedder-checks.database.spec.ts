import { loadEnv } from '@app/common';
import { AgentIndexCacheService } from './search/agent-index-cache.service.js';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { DenseSearchService } from './search/knowledge-search.service.js';
import { type Embedder } from './embed/embedder.js';
import { EmbedderChecksRepository } from './embedder-checks/embedder-checks.repository.js';
import { EmbedderChecksService } from './embedder-checks/embedder-checks.service.js';
import { KnowledgeSearchRepository } from './search/knowledge-search.repository.js';
import { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
import { PassageVectorsService } from './vectors/passage-vectors.service.js';
import { PlainVectorStore } from './vectors/plain-vector-store.js';
import { SnapshotSearchService } from './search/snapshot-search.service.js';
import { metrics } from '@app/metrics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { pino } from 'pino';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { type AgentOf, aGeneration, aKnowledgeBase, chunksOf, serve } from '../../../test/support/knowledge-rows.js';

const MODEL = 'test@4';
const DIRECTIONS = [0, 1, 2, 3].map((one) => Float32Array.from({ length: 4 }, (_, at) => (at === one ? 1 : 0)));
const HALLS = ['oak', 'ash', 'elm', 'fir', 'yew', 'bay', 'fig', 'box'];
const SHELVES = ['red', 'tan', 'sky', 'jet', 'ivy', 'sea', 'sun', 'ice'];
/** Each shares half of its names with fourteen others: an embedder that prefers some of these loses the passage. */
const PASSAGES = Array.from(
  { length: 60 },
  (_, i) =>
    `Goods of the ${HALLS[i % 8]} hall and the ${SHELVES[i >> 3]} shelf arrive after delivery to our customers.`,
);
/** The direction of the passage with these names. */
const directionOf = (hall: number, shelf: number): number => (hall + shelf) % 4;
const namedIn = (names: string[], question: string): number =>
  names.findIndex((name) => question.includes(` ${name} `));

let database: TestDatabase;
let pool: Pool;
let agent: AgentOf;
let base: number;
/** How far a question's direction is from that of its passage; 0 is an embedder that understands the questions. */
let error: number;
let isDown: boolean;
let warnings: Record<string, unknown>[];

const embedder: Embedder = {
  model: MODEL,
  dimensions: 4,
  embed: () => Promise.reject(new Error('the test embeds no passages')),
  embedQuery: (text) =>
    isDown
      ? Promise.reject(new Error('down'))
      : Promise.resolve(DIRECTIONS[(directionOf(namedIn(HALLS, text), namedIn(SHELVES, text)) + error) % 4]),
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
  [error, isDown, warnings] = [0, false, []];
  await pool.query('DELETE FROM knowledge_embedder_checks');
  ({ agent, base } = await anAgent());
});

async function anAgent(): Promise<{ agent: AgentOf; base: number }> {
  const workspace = await aWorkspace(pool);
  const id = await aKnowledgeBase(pool, workspace);
  await rebuild(workspace, id);
  return { agent: workspace, base: id };
}

/** Serves a new generation with complete vectors. */
async function rebuild(of = agent, id = base): Promise<void> {
  const vectors = PASSAGES.map((_, i) => DIRECTIONS[directionOf(i % 8, i >> 3)]!);
  await serve(pool, await aGeneration(pool, of, id, chunksOf(PASSAGES, vectors, MODEL)));
  await pool.query('UPDATE knowledge_bases SET vectors_generation = serving, vectors_model = $1 WHERE id = $2', [
    MODEL,
    id,
  ]);
}

function checks(): EmbedderChecksService {
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line) as never) });
  const over = databaseOver(pool);
  const [repository, vectors] = [new KnowledgeSearchRepository(over), new ChunkVectorsRepository(over)];
  const store = new PlainVectorStore(vectors, log, { model: MODEL, dimensions: 4 }, 1_000_000);
  const dense = new DenseSearchService({ embedder }, store, log);
  const indexes = new AgentIndexCacheService(repository, loadEnv({}), log);
  const made = new PassageVectorsService({ embedder }, new EmbeddingCacheRepository(over));
  const searches = new SnapshotSearchService(indexes, repository, dense, { embedder }, vectors, made, log);
  return new EmbedderChecksService(new EmbedderChecksRepository(over), searches, { embedder }, 'worker', log);
}

/** The wait after a change, or of an hour after a check, is over. */
const makeDue = () =>
  pool.query(`UPDATE knowledge_embedder_checks SET due_at = now() - interval '1 s' WHERE due_at IS NOT NULL`);

async function check(): Promise<boolean> {
  await makeDue();
  return checks().checkNext();
}

const minutesUntilDue = async (): Promise<number | null> => {
  const text = `SELECT round(extract(epoch FROM due_at - now()) / 60)::integer AS minutes FROM knowledge_embedder_checks
    WHERE agent_id = $1`;
  return (await pool.query<{ minutes: number | null }>(text, [agent.agentId])).rows[0]?.minutes ?? null;
};

const worseChecks = async (): Promise<number> =>
  (await metrics.embedderChecks.get()).values.find(({ labels }) => labels.outcome === 'worse')?.value ?? 0;

describe('the check of an embedder', () => {
  it('reports one that loses passages that words alone find, with the ids of account and agent', async () => {
    error = 1;
    const before = await worseChecks();
    expect(await check()).toBe(true);
    const { accountId: account_id, agentId: agent_id } = agent;
    expect(warnings).toEqual([
      expect.objectContaining({ account_id, agent_id, model: MODEL, outcome: 'worse', questions: 50 }),
    ]);
    expect(await worseChecks()).toBe(before + 1);
    const last = await checks().last(agent);
    expect(last).toMatchObject({ model: MODEL, outcome: 'worse', foundByWords: 50, checkedAt: expect.any(Date) });
    expect(last!.found).toBeLessThan(30);
  });

  it('reports nothing about one that finds the same passages', async () => {
    expect(await check()).toBe(true);
    expect(await checks().last(agent)).toMatchObject({ outcome: 'similar', found: 50, foundByWords: 50 });
    expect(warnings).toEqual([]);
  });

  it('says nothing about another model, or about the agent of another account', async () => {
    await check();
    await pool.query(`UPDATE knowledge_embedder_checks SET model = 'earlier@4'`);
    expect(await checks().last(agent)).toBeUndefined();
    const { accountId } = await aWorkspace(pool);
    await pool.query('UPDATE knowledge_embedder_checks SET model = $1', [MODEL]);
    expect(await checks().last({ ...agent, accountId })).toBeUndefined();
  });

  it('runs once per change and at most once an hour', async () => {
    await check();
    expect(await checks().checkNext()).toBe(false);
    expect(await minutesUntilDue()).toBeNull();
    await rebuild();
    expect(await checks().checkNext()).toBe(false);
    expect(await minutesUntilDue()).toBe(60);
    expect(await check()).toBe(true);
  });

  it('waits until all vectors are complete', async () => {
    await pool.query('UPDATE knowledge_bases SET vectors_generation = NULL WHERE id = $1', [base]);
    await check();
    expect(await checks().last(agent)).toBeUndefined();
    expect(await minutesUntilDue()).toBe(1);
  });

  it('is repeated a minute after a failure of the embedder', async () => {
    isDown = true;
    await check();
    expect(warnings).toEqual([expect.objectContaining({ msg: expect.stringContaining('checked later') })]);
    expect(await minutesUntilDue()).toBe(1);
  });

  it('is left to retrieval tests where an agent has them, and its earlier result is removed', async () => {
    await check();
    await pool.query(
      `INSERT INTO knowledge_tests (account_id, agent_id, questions, expected_text) VALUES ($1, $2, '{x}', 'x')`,
      [agent.accountId, agent.agentId],
    );
    await rebuild();
    await check();
    expect(await checks().last(agent)).toBeUndefined();
    expect(await minutesUntilDue()).toBeNull();
  });

  it('goes to one worker at a time, and the accounts take turns', async () => {
    const { agent: other } = await anAgent();
    await makeDue();
    const repository = new EmbedderChecksRepository(databaseOver(pool));
    const claim = (after: number) => repository.claim('worker', 60_000, after);
    const [one, two, none] = [await claim(agent.accountId), await claim(other.accountId), await claim(0)];
    expect([one?.account_id, two?.account_id, none]).toEqual([other.accountId, agent.accountId, undefined]);
    await pool.query(`UPDATE knowledge_embedder_checks SET due_at = now() - interval '1 s'`);
    expect((await claim(0))?.agent_id).toBe(agent.agentId);
  });

  it('reads passages of every document, those of a crawl included', async () => {
    const pages = await aKnowledgeBase(pool, agent);
    const site = Array.from({ length: 30 }, (_, i) => `Page ${i} says when our harbour shop opens in the morning.`);
    const chunks = chunksOf(site).map((chunk, at) => ({
      ...chunk,
      ordinal: Math.floor(at / 3) * 1_000_000 + (at % 3),
      embedding: Buffer.alloc(16),
      embeddingModel: MODEL,
    }));
    await serve(pool, await aGeneration(pool, agent, pages, chunks));
    const sample = await new EmbedderChecksRepository(databaseOver(pool)).sample(agent, 90);
    const ofSite = sample.filter((text) => text.startsWith('Page'));
    expect(ofSite.length).toBeGreaterThan(20);
    expect(sample.length - ofSite.length).toBeGreaterThan(40);
    expect(new Set(sample).size).toBe(sample.length);
  });
});
