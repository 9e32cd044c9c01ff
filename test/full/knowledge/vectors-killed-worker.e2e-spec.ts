import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { EmbeddingsEndpoint, isSilent } from '../../support/embeddings-endpoint.js';
import { eventually } from '../../support/eventually.js';
import { aWorkspace } from '../../support/factories.js';
import { aGeneration, aKnowledgeBase, chunksOf, serve } from '../../support/knowledge-rows.js';

let database: TestDatabase;
let pool: Pool;
let endpoint: EmbeddingsEndpoint;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  endpoint = await EmbeddingsEndpoint.start();
});

afterAll(async () => {
  for (const worker of workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  await endpoint.close();
  await pool.end();
  await database.drop();
});

function startWorker(): ChildProcess {
  const worker = fork(join(process.cwd(), 'dist/apps/worker/src/main.js'), {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret key of thirty-two characters',
      EMBEDDINGS_URL: endpoint.url,
      EMBEDDINGS_MODEL: 'ours',
      EMBEDDINGS_DIMENSIONS: '64',
      LOG_LEVEL: 'silent',
    },
  });
  workers.push(worker);
  return worker;
}

it('a worker that is killed while it embeds loses nothing: the next one goes on after its last batch', async () => {
  const agent = await aWorkspace(pool);
  const texts = Array.from({ length: 300 }, (_, i) => `passage about subject${i}`);
  const id = await aKnowledgeBase(pool, agent);
  await serve(pool, await aGeneration(pool, agent, id, chunksOf(texts)));
  endpoint.faults = [() => false, isSilent];
  const first = startWorker();
  await endpoint.until(({ length }) => length === 2);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const stateOf = `SELECT b.status, b.vectors_done AS done, b.vectors_owner IS NOT NULL AS leased, count(c.embedding)::int AS embedded
    FROM knowledge_bases b JOIN knowledge_chunks c ON c.knowledge_base_id = b.id WHERE b.id = $1 GROUP BY b.id`;
  const state = async (): Promise<unknown> => (await pool.query(stateOf, [id])).rows[0];
  expect(await state()).toEqual({ status: 'completed', done: 32, leased: true, embedded: 32 });
  // As if its time were over.
  await pool.query('UPDATE knowledge_bases SET vectors_until = now() WHERE id = $1', [id]);
  startWorker();
  const complete = { status: 'completed', done: 300, leased: false, embedded: 300 };
  await eventually(
    async () => JSON.stringify(await state()),
    (seen) => seen === JSON.stringify(complete),
  );
  expect(
    endpoint.requests
      .slice(2)
      .flatMap(({ body }) => body.input)
      .toSorted(),
  ).toEqual(texts.slice(32).toSorted());
});
