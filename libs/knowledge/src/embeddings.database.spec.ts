import { createLog, loadEnv } from '@app/common';
import type { WakeUpsService } from '@app/queue';
import { ChunkVectorsRepository } from './vectors/chunk-vectors.repository.js';
import { ConfiguredVectorStoreService } from './vectors/configured-vector-store.service.js';
import { type Embedder } from './embed/embedder.js';
import { EmbeddingCacheRepository } from './embed/embedding-cache.repository.js';
import { EmbeddingsService } from './embed/embeddings.service.js';
import { HTTP_RETRIES } from './embed/http-embedder.js';
import { type NewChunk } from './knowledge-chunks.repository.js';
import { PgvectorRepository } from './vectors/pgvector.repository.js';
import { PlainVectorStore } from './vectors/plain-vector-store.js';
import { VectorBackfillService } from './vectors/vector-backfill.service.js';
import { VectorBackfillRepository } from './vectors/vector-backfill.repository.js';
import { VectorIndexService } from './vectors/vector-index.service.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { answers, EmbeddingsEndpoint, type EmbeddingsFault } from '../../../test/support/embeddings-endpoint.js';
import { eventually } from '../../../test/support/eventually.js';
import { aWorkspace } from '../../../test/support/factories.js';
import { UnitLanes } from '../../../test/support/unit-lanes.js';
import {
  aGeneration,
  aKnowledgeBase,
  chunksIn,
  chunksOf,
  serve,
  versionOf,
  type AgentOf,
} from '../../../test/support/knowledge-rows.js';

const log = createLog({ level: 'silent', role: 'test' });
const { signal } = new AbortController();
const passages = (count: number): string[] => Array.from({ length: count }, (_, i) => `passage about subject${i}`);

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

async function aBackfill(embeddings: EmbeddingsService, owner = 'worker-1'): Promise<void> {
  const database = databaseOver(pool);
  const index = new VectorIndexService(new PgvectorRepository(database, log), embeddings);
  await index.onModuleInit();
  const repository = new VectorBackfillRepository(database, chunksIn(pool));
  const times = { leaseMs: 2_000, pauseMs: 5 };
  const wakeUps = { wakeNext: () => undefined } as unknown as WakeUpsService;
  const backfill = new VectorBackfillService(repository, embeddings, index, wakeUps, owner, log, times);
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

/** Stores chunks like the ingestion. */
async function ingested(texts: readonly string[], given?: EmbeddingsService, id?: number): Promise<number> {
  const knowledgeBaseId = id ?? (await aKnowledgeBase(pool, agent));
  const chunks = chunksOf(texts);
  const embeddings = given ?? (await openEmbeddings());
  await embeddings.embedChunks({ accountId: agent.accountId, knowledgeBaseId }, chunks, signal);
  await serve(pool, await aGeneration(pool, agent, knowledgeBaseId, chunks));
  return knowledgeBaseId;
}

const KNOWN = `SELECT b.status, b.stage, b.progress, b.vectors_model, b.vectors_generation = b.serving AS complete,
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

describe('the embedding of documents', () => {
  it('uses batches and makes passages findable by meaning without a common word', async () => {
    endpoint.concepts = { terminate: 'end', contract: 'agreement', subscription: 'agreement', stop: 'end' };
    const embeddings = await anEmbedder();
    await ingested([...passages(100), 'How to terminate a contract'], embeddings);
    expect(endpoint.requests.length).toBe(4);
    const store = await aStore(embeddings);
    const query = (await embeddings.embedder.embedQuery('stop subscription', signal))!;
    const [best] = await store.nearest({ ...agent, version: await versionOf(pool, agent) }, query, 5);
    const { rows } = await pool.query('SELECT text FROM knowledge_chunks WHERE id = $1', [best?.chunkId]);
    expect(rows).toEqual([{ text: 'How to terminate a contract' }]);
  });

  it('keeps vectors of unchanged texts, but shares none between accounts', async () => {
    const embeddings = await anEmbedder();
    const id = await ingested(passages(40), embeddings);
    await ingested([...passages(40), 'and a new one'], embeddings, id);
    expect(endpoint.texts.slice(40)).toEqual(['and a new one']);
    await pool.query('DELETE FROM knowledge_bases');
    await ingested(passages(40), embeddings);
    expect(endpoint.texts).toHaveLength(41);
    agent = await aWorkspace(pool);
    await ingested(passages(40), embeddings);
    expect(endpoint.texts).toHaveLength(81);
  });

  it('leaves rows after the first 10,000 passages to the words, but not the text after them', async () => {
    const [near, far, text] = chunksOf(['a row near the start', 'a row far down', 'a remark below the table']) as [
      NewChunk,
      NewChunk,
      NewChunk,
    ];
    const row = (chunk: NewChunk, ordinal: number): NewChunk => ({
      ...chunk,
      ordinal,
      rows: { first: ordinal, last: ordinal },
    });
    const id = await aKnowledgeBase(pool, agent);
    const chunks = [row(near, 9_999), row(far, 10_000), { ...text, ordinal: 10_001 }];
    await serve(pool, await aGeneration(pool, agent, id, chunks));
    const embeddings = await anEmbedder();
    await aBackfill(embeddings);
    expect(await completed(id, embeddings.embedder.model)).toMatchObject({ chunks: 3, embedded: 2 });
    expect(endpoint.texts).toEqual(['a row near the start', 'a remark below the table']);
  });

  it('is skipped without an embedder and completed after one is configured', async () => {
    const id = await ingested(passages(10));
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    await aBackfill(await anEmbedder());
    expect(await completed(id, 'ours@64')).toMatchObject({ embedded: 10 });
  });

  it('stops at its time limit, and the backfill adds the rest', async () => {
    const embeddings = await anEmbedder();
    endpoint.faults = [() => true];
    const chunks: NewChunk[] = chunksOf(passages(3));
    const late = new AbortController();
    const document = { accountId: agent.accountId, knowledgeBaseId: 0, deadline: late.signal };
    const work = embeddings.embedChunks(document, chunks, signal);
    await endpoint.until(({ length }) => length === 1);
    late.abort(new Error('enough'));
    expect(await work).toBe(3);
    expect(chunks[0]).toMatchObject({ hash: expect.any(Buffer) });
  });

  it('stops when the work is aborted', async () => {
    const embeddings = await anEmbedder();
    endpoint.faults = [() => true];
    const stop = new AbortController();
    const document = { accountId: agent.accountId, knowledgeBaseId: 0 };
    const work = embeddings.embedChunks(document, chunksOf(passages(3)), stop.signal);
    await endpoint.until(({ length }) => length === 1);
    stop.abort(new Error('deleted'));
    await expect(work).rejects.toThrow('deleted');
  });
});

describe('the vector backfill', () => {
  it('adds vectors after an outage of the endpoint, during which documents complete', async () => {
    const embeddings = await anEmbedder();
    let down = true;
    const fault: EmbeddingsFault = (request, response) => down && answers(503)(request, response);
    endpoint.faults = Array.from({ length: 1_000 }, () => fault);
    const id = await ingested(passages(150), embeddings);
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    const version = await versionOf(pool, agent);
    await aBackfill(embeddings);
    const asked = endpoint.requests.length;
    await endpoint.until(({ length }) => length > asked + 3);
    expect(await stateOf(id)).toMatchObject({ status: 'completed', embedded: 0 });
    down = false;
    expect(await completed(id, 'ours@64')).toMatchObject({
      status: 'completed',
      stage: null,
      progress: 100,
      embedded: 150,
    });
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 1);
  });

  it('replaces vectors after a change of the model, keeps serving, and reports progress', async () => {
    const ids = [await ingested(passages(140), await anEmbedder()), await ingested(['another'], await anEmbedder())];
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
      expect(await completed(id, 'ours@32')).toMatchObject({ status: 'completed', stage: null, models: 1 });
    expect(seen).toContainEqual(
      expect.objectContaining({ status: 'completed', stage: 'reindex', chunks: 140, embedded: 140, models: 2 }),
    );
    // The version changes once, with the last knowledge base of the agent.
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 1);
  });

  it('continues the work of a killed worker after its lease expired', async () => {
    const texts = passages(300);
    const id = await ingested(texts, await anEmbedder());
    const embeddings = await anEmbedder(32);
    // A killed worker leaves a lease, a stage, and some batches of the new model.
    await pool.query(
      `UPDATE knowledge_bases SET vectors_owner = 'killed', vectors_until = now() + interval '200 ms', stage = 'reindex',
         progress = 42, vectors_unannounced = true WHERE id = $1`,
      [id],
    );
    await pool.query(
      `UPDATE knowledge_chunks SET embedding_model = $2, embedding = substr(embedding, 1, 128) WHERE knowledge_base_id = $1 AND ordinal < 128`,
      [id, embeddings.embedder.model],
    );
    const asked = endpoint.texts.length;
    const version = await versionOf(pool, agent);
    await aBackfill(embeddings);
    expect(await completed(id, embeddings.embedder.model)).toMatchObject({ stage: null, progress: 100, embedded: 300 });
    expect(endpoint.texts.slice(asked).toSorted()).toEqual(texts.slice(128).toSorted());
    expect(Number(await versionOf(pool, agent))).toBe(Number(version) + 1);
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
        void ingested(['all new'], undefined, id).then(() => endpoint.answer(request, response));
        return true;
      },
    ];
    await aBackfill(embeddings);
    expect(await completed(id, 'ours@64')).toMatchObject({ chunks: 1, embedded: 1 });
  });

  it('skips a text that the model rejects and does not send it again', async () => {
    const embeddings = await anEmbedder();
    await embeddings.embedder.embed(['hello'], signal);
    const refuse: EmbeddingsFault = (request, response) =>
      request.body.input.some((text) => text.includes('subject3')) && answers(400)(request, response);
    endpoint.faults = Array.from({ length: 100 }, () => refuse);
    const id = await ingested(passages(8), embeddings);
    const asked = endpoint.requests.length;
    await aBackfill(embeddings);
    expect(await completed(id, 'ours@64')).toMatchObject({ embedded: 7, models: 1 });
    expect(endpoint.requests).toHaveLength(asked);
  });
});

it('the embedding cache keeps vectors for 90 days, and the newest ones beyond its limit', async () => {
  const embeddings = await anEmbedder();
  await pool.query('DELETE FROM embedding_cache');
  await ingested(passages(9), embeddings);
  await pool.query(
    `UPDATE embedding_cache SET used_at = now() - interval '91 days' WHERE ctid IN (SELECT ctid FROM embedding_cache LIMIT 2)`,
  );
  expect(await cacheIn(pool).purge()).toBe(2);
  expect(await cacheIn(pool).purge(4)).toBe(3);
  expect(await cacheIn(pool).purge(4)).toBe(0);
});

it('the plain vector store respects its memory limit', async () => {
  const embeddings = await anEmbedder();
  await ingested(passages(50), embeddings);
  const store = new PlainVectorStore(
    new ChunkVectorsRepository(databaseOver(pool)),
    log,
    { model: embeddings.embedder.model, dimensions: 64 },
    10_000,
  );
  const query = (await embeddings.embedder.embedQuery('subject1', signal))!;
  expect(await store.nearest({ ...agent, version: await versionOf(pool, agent) }, query, 5)).toEqual([]);
});
