import { createLog, loadEnv } from '@app/common';
import type { WakeUpsService } from '@app/queue';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { ConfiguredVectorStoreService } from './vectors/configured-vector-store.service.js';
import { type Embedder } from './embed/embedder.js';
import { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
import { type CurrentEmbedder, EmbeddingsService } from './embed/embeddings.service.js';
import { HTTP_RETRIES } from './embed/http-embedder.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';
import { PlainVectorStore } from './vectors/plain-vector-store.js';
import { PassageVectorsService } from './vectors/passage-vectors.service.js';
import { VectorAnnouncementsService } from './vectors/vector-announcements.service.js';
import { VectorBackfillService } from './vectors/vector-backfill.service.js';
import { VectorBackfillRepository } from './vectors/vector-backfill.repository.js';
import { VectorIndexService } from './vectors/vector-index.service.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  answers,
  EmbeddingsEndpoint,
  type EmbeddingsFault,
  isSilent,
} from '../../../test/support/embeddings-endpoint.js';
import { eventually } from '../../../test/support/eventually.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { UnitLanes } from '../../../test/support/unit-lanes.js';
import {
  aGeneration,
  aKnowledgeBase,
  chunksIn,
  chunksOf,
  serve,
  type StoredChunk,
  versionOf,
  type AgentOf,
} from '../../../test/support/knowledge-rows.js';

const log = createLog({ level: 'silent', role: 'test' });
const { signal } = new AbortController();
const passages = (count: number): string[] => Array.from({ length: count }, (_, i) => `passage about subject${i}`);
/** Texts that the embedder gets at a time. */
const BATCH = 32;

let database: TestDatabase;
let pool: Pool;
let endpoint: EmbeddingsEndpoint;
let agent: AgentOf;
const open: { onModuleDestroy(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 8 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  // Every test starts without pending work for the backfill.
  await pool.query('DELETE FROM knowledge_bases');
  endpoint = await EmbeddingsEndpoint.start();
  agent = await aWorkspace(pool);
});
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.onModuleDestroy();
  await endpoint.close();
});

const cacheIn = (on: Pool): EmbeddingCacheRepository => new EmbeddingCacheRepository(databaseOver(on));

async function openEmbeddings(env: Record<string, string> = {}): Promise<EmbeddingsService> {
  const retries = { ...HTTP_RETRIES, tries: 2, firstWaitMs: 1, restMs: 1 };
  const embeddings = new EmbeddingsService(cacheIn(pool), loadEnv(env), log, retries);
  await embeddings.onModuleInit();
  open.push(embeddings);
  return embeddings;
}

/** Other dimensions mean another model; the endpoint returns its vectors from then on. */
async function anEmbedder(dimensions = 64): Promise<EmbeddingsService & { embedder: Embedder }> {
  endpoint.dimensions = dimensions;
  const embeddings = await openEmbeddings({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'ours',
    EMBEDDINGS_DIMENSIONS: String(dimensions),
  });
  return embeddings as EmbeddingsService & { embedder: Embedder };
}

function backfillOf(
  embeddings: CurrentEmbedder,
  owner: string,
  leaseMs = 2_000,
  wakeNext: WakeUpsService['wakeNext'] = () => undefined,
): VectorBackfillService {
  const database = databaseOver(pool);
  const index = new VectorIndexService(new PgvectorRepository(database, log), embeddings);
  const repository = new VectorBackfillRepository(database, chunksIn(pool));
  const times = { leaseMs, pauseMs: 5 };
  const wakeUps = { wakeNext } as unknown as WakeUpsService;
  const made = new PassageVectorsService(embeddings, cacheIn(pool));
  const announcements = new VectorAnnouncementsService(repository);
  return new VectorBackfillService(
    ...([repository, announcements, embeddings, made, index, wakeUps, owner, log, times] as const),
  );
}

async function aBackfill(embeddings: EmbeddingsService, owner = 'worker-1', leaseMs?: number): Promise<void> {
  const backfill = backfillOf(embeddings, owner, leaseMs);
  const lanes = new UnitLanes(() => backfill.completeNext(), 1, log, 5).start();
  open.push({ onModuleDestroy: async () => void (await Promise.all([backfill.stop(), lanes.stop()])) });
}

async function aStore(embeddings: EmbeddingsService): Promise<ConfiguredVectorStoreService> {
  const database = databaseOver(pool);
  const pgvector = new PgvectorRepository(database, log);
  const vectors = new ChunkVectorsRepository(database);
  const store = new ConfiguredVectorStoreService(embeddings, pgvector, vectors, { KNOWLEDGE_CACHE_MB: 2 }, log);
  await store.onModuleInit();
  return store;
}

/** Serves chunks like the ingestion. */
async function ingested(texts: readonly string[], id?: number): Promise<number> {
  const knowledgeBaseId = id ?? (await aKnowledgeBase(pool, agent));
  await serve(pool, await aGeneration(pool, agent, knowledgeBaseId, chunksOf(texts)));
  return knowledgeBaseId;
}

const KNOWN = `SELECT b.status, b.stage, b.progress, b.vectors_model, b.vectors_generation = b.serving AS complete,
    b.vectors_done AS done, b.vectors_of AS "of", b.vectors_unannounced AS unannounced,
    count(*)::int AS chunks, count(c.embedding)::int AS embedded, count(DISTINCT c.embedding_model)::int AS models
  FROM knowledge_bases b JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
  WHERE b.id = $1 GROUP BY b.id`;
const stateOf = async (id: number): Promise<Record<string, unknown>> =>
  (await pool.query(KNOWN, [id])).rows[0] as never;
const completed = (id: number, model: string): Promise<Record<string, unknown>> =>
  eventually(
    () => stateOf(id),
    (state) => state['complete'] === true && state['vectors_model'] === model,
  );

const announced = (id: number): Promise<Record<string, unknown>> =>
  eventually(
    () => stateOf(id),
    (state) => state['complete'] === true && state['unannounced'] === false,
  );

/** With the vectors of a model that is replaced later. */
async function withVectors(ids: number[]): Promise<void> {
  const embeddings = await anEmbedder();
  await aBackfill(embeddings, 'earlier');
  await Promise.all(ids.map(announced));
  await Promise.all(open.splice(0).map((one) => one.onModuleDestroy()));
}

describe('the vectors of new documents', () => {
  it('follow in batches, and make passages findable by meaning without a common word', async () => {
    endpoint.concepts = { terminate: 'end', contract: 'agreement', subscription: 'agreement', stop: 'end' };
    const embeddings = await anEmbedder();
    const id = await ingested([...passages(100), 'How to terminate a contract']);
    expect(await stateOf(id)).toMatchObject({ status: 'completed', done: 0, of: 101 });
    const version = await versionOf(pool, agent);
    await aBackfill(embeddings);
    expect(await announced(id)).toMatchObject({ stage: null, done: 101, of: 101 });
    expect(endpoint.requests.map(({ body }) => body.input.length)).toEqual([BATCH, BATCH, BATCH, 5]);
    expect(endpoint.mostOpen).toBe(1);
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 1);
    const store = await aStore(embeddings);
    const query = (await embeddings.embedder.embedQuery('stop subscription', signal))!;
    const [best] = await store.nearest({ ...agent, version: await versionOf(pool, agent) }, query, 5);
    const { rows } = await pool.query('SELECT text FROM knowledge_chunks WHERE id = $1', [best?.chunkId]);
    expect(rows).toEqual([{ text: 'How to terminate a contract' }]);
  });

  it('are kept by unchanged texts from the start, but shared with no other account', async () => {
    const embeddings = await anEmbedder();
    const id = await ingested(passages(40));
    await aBackfill(embeddings);
    await completed(id, 'ours@64');
    await ingested([...passages(40), 'and a new one'], id);
    expect(await completed(id, 'ours@64')).toMatchObject({ done: 41, of: 41 });
    expect(endpoint.texts.slice(40)).toEqual(['and a new one']);
    const copy = await ingested(passages(40));
    expect(await stateOf(copy)).toMatchObject({ embedded: 40, done: 40, of: 40 });
    // The cache has the vectors of deleted documents.
    await pool.query('DELETE FROM knowledge_bases');
    await completed(await ingested(passages(40)), 'ours@64');
    expect(endpoint.texts).toHaveLength(41);
    agent = await aWorkspace(pool);
    await completed(await ingested(passages(40)), 'ours@64');
    expect(endpoint.texts).toHaveLength(81);
  });

  it('are left out for rows after the first 10,000 passages, but not for the text after them', async () => {
    const [near, far, text] = chunksOf(['a row near the start', 'a row far down', 'a remark below the table']) as [
      StoredChunk,
      StoredChunk,
      StoredChunk,
    ];
    const row = (chunk: StoredChunk, ordinal: number): StoredChunk => ({
      ...chunk,
      ordinal,
      rows: { first: ordinal, last: ordinal },
    });
    const id = await aKnowledgeBase(pool, agent);
    const chunks = [row(near, 9_999), row(far, 10_000), { ...text, ordinal: 10_001 }];
    await serve(pool, await aGeneration(pool, agent, id, chunks));
    const embeddings = await anEmbedder();
    await aBackfill(embeddings);
    expect(await completed(id, embeddings.embedder.model)).toMatchObject({ chunks: 3, embedded: 2, done: 2, of: 2 });
    expect(endpoint.texts).toEqual(['a row near the start', 'a remark below the table']);
  });

  it('are added after an embedder is configured', async () => {
    const id = await ingested(passages(10));
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    await aBackfill(await anEmbedder());
    expect(await completed(id, 'ours@64')).toMatchObject({ embedded: 10 });
  });
});

describe('the vector backfill', () => {
  it('looks again in a second while the embedder does not answer yet', async () => {
    const waits: unknown[] = [];
    const unknown = { embedder: undefined, isConfigured: true };
    const backfill = backfillOf(unknown, 'worker', undefined, (...wait) => void waits.push(wait));
    expect([await backfill.completeNext(), waits]).toEqual([false, [['vectors', 1_000]]]);
  });

  it('adds vectors after an outage of the endpoint, during which documents complete', async () => {
    const embeddings = await anEmbedder();
    let down = true;
    const fault: EmbeddingsFault = (request, response) => down && answers(503)(request, response);
    endpoint.faults = Array.from({ length: 1_000 }, () => fault);
    const id = await ingested(passages(150));
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    const version = await versionOf(pool, agent);
    await aBackfill(embeddings);
    const asked = endpoint.requests.length;
    await endpoint.until(({ length }) => length > asked + 3);
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    down = false;
    await announced(id);
    expect(await completed(id, 'ours@64')).toMatchObject({
      status: 'completed',
      stage: null,
      progress: 100,
      embedded: 150,
    });
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 1);
  });

  it('replaces vectors after a change of the model, keeps serving, and reports progress', async () => {
    const ids = [await ingested(passages(140)), await ingested(['another'])];
    await withVectors(ids);
    const version = await versionOf(pool, agent);
    const seen: unknown[] = [];
    const look: EmbeddingsFault = (request, response) => {
      void stateOf(ids[0] ?? 0)
        .then((state) => seen.push(state))
        .finally(() => endpoint.answer(request, response));
      return true;
    };
    endpoint.faults = Array.from({ length: 100 }, () => look);
    await aBackfill(await anEmbedder(32));
    for (const id of ids)
      expect(await completed(id, 'ours@32')).toMatchObject({
        status: 'completed',
        stage: null,
        progress: 100,
        models: 1,
      });
    const half = { status: 'completed', stage: 'reindex', progress: 45, chunks: 140, embedded: 140, done: 64, of: 140 };
    expect(seen).toContainEqual(expect.objectContaining({ ...half, models: 2 }));
    await Promise.all(ids.map(announced));
    // Once for the short one, which comes first, and once for the other.
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 2);
  });

  it('continues the work of a killed worker after its lease expired', async () => {
    const texts = passages(100);
    const id = await ingested(texts);
    const embeddings = await anEmbedder();
    endpoint.faults = [() => false, isSilent];
    await aBackfill(embeddings, 'killed');
    await endpoint.until(({ length }) => length === 2);
    // A killed worker leaves its lease: the open request is of no more use to anybody.
    await pool.query(
      `UPDATE knowledge_bases SET vectors_owner = 'gone', vectors_until = now() + interval '200 ms' WHERE id = $1`,
      [id],
    );
    await aBackfill(embeddings);
    expect(await announced(id)).toMatchObject({ stage: null, progress: 100, embedded: 100, done: 100, of: 100 });
    expect(endpoint.texts.slice(2 * BATCH).toSorted()).toEqual(texts.slice(BATCH).toSorted());
  });

  it('embeds each chunk once with several workers', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, i) => ingested(passages(40).map((text) => `${text} in${i}`))),
    );
    const embeddings = await anEmbedder();
    for (const owner of ['worker-1', 'worker-2', 'worker-3']) await aBackfill(embeddings, owner);
    for (const id of ids) expect(await completed(id, 'ours@64')).toMatchObject({ embedded: 40 });
    expect(endpoint.texts).toHaveLength(240);
  });

  it('completes the new serving generation if it was swapped in during the work', async () => {
    const id = await ingested(passages(5));
    const embeddings = await anEmbedder();
    endpoint.faults = [
      (request, response) => {
        void ingested(['all new'], id).then(() => endpoint.answer(request, response));
        return true;
      },
    ];
    // Without waiting for the lease on the old one.
    await aBackfill(embeddings, 'worker-1', 600_000);
    expect(await completed(id, 'ours@64')).toMatchObject({ chunks: 1, embedded: 1 });
  });

  it('skips a text that the model rejects and does not send it again', async () => {
    const embeddings = await anEmbedder();
    await embeddings.embedder.embed(['hello'], signal);
    const refuse: EmbeddingsFault = (request, response) =>
      request.body.input.some((text) => text.includes('subject3')) && answers(400)(request, response);
    endpoint.faults = Array.from({ length: 100 }, () => refuse);
    const id = await ingested(passages(8));
    await aBackfill(embeddings);
    expect(await announced(id)).toMatchObject({ embedded: 7, models: 1, done: 7, of: 7 });
    const asked = endpoint.requests.length;
    await completed(await ingested(['something else']), 'ours@64');
    expect(endpoint.requests).toHaveLength(asked + 1);
  });
});

it('the embedding cache keeps vectors for 90 days, and the newest ones beyond its limit', async () => {
  const embeddings = await anEmbedder();
  await pool.query('DELETE FROM embedding_cache');
  const id = await ingested(passages(9));
  await aBackfill(embeddings);
  await completed(id, 'ours@64');
  await pool.query(
    `UPDATE embedding_cache SET used_at = now() - interval '91 days' WHERE ctid IN (SELECT ctid FROM embedding_cache LIMIT 2)`,
  );
  expect(await cacheIn(pool).purge()).toBe(2);
  expect(await cacheIn(pool).purge(4)).toBe(3);
  expect(await cacheIn(pool).purge(4)).toBe(0);
});

it('the plain vector store respects its memory limit', async () => {
  const embeddings = await anEmbedder();
  const id = await ingested(passages(50));
  await aBackfill(embeddings);
  await completed(id, 'ours@64');
  const store = new PlainVectorStore(
    new ChunkVectorsRepository(databaseOver(pool)),
    log,
    { model: embeddings.embedder.model, dimensions: 64 },
    10_000,
  );
  const query = (await embeddings.embedder.embedQuery('subject1', signal))!;
  expect(await store.nearest({ ...agent, version: await versionOf(pool, agent) }, query, 5)).toEqual([]);
});
