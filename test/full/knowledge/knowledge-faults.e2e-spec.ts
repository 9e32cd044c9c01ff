import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DocumentEvents, type DocumentEvent } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { EmbeddingsEndpoint } from '../../support/embeddings-endpoint.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { isAlive, readersOf } from '../../support/parser-processes.js';
import { RestartablePostgres } from '../../support/restartable-postgres.js';
import { Stack, type StackProcess } from '../../support/stack.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const SENTENCE = 'The warranty of the kettle covers its element for seven years.';
/** About 300 passages: two batches, so that a crash can interrupt the work. */
const TEXT =
  Array.from({ length: 300 }, (_, i) => `## Article ${i}\n\n${`Word${i} of many words. `.repeat(60)}\n`).join('\n') +
  SENTENCE;

let postgres: RestartablePostgres;
let endpoint: EmbeddingsEndpoint;
let stack: Stack;
let account: TestAccount;
let client: KnowledgeClient;
let events: DocumentEvents;

beforeAll(async () => {
  [postgres, endpoint] = await Promise.all([RestartablePostgres.start(), EmbeddingsEndpoint.start()]);
  stack = await Stack.start({
    dialers: 0,
    database: postgres,
    env: {
      EMBEDDINGS_PROVIDER: 'openai',
      EMBEDDINGS_URL: endpoint.url,
      EMBEDDINGS_MODEL: 'test',
      EMBEDDINGS_DIMENSIONS: '64',
      OPENAI_API_KEY: 'x',
      LOG_LEVEL: 'fatal',
    },
  });
  account = await createAccount(stack, { name: 'acme' });
  client = new KnowledgeClient(stack, account);
  events = await DocumentEvents.subscribe(postgres.url);
});
afterAll(async () => {
  await events?.close();
  await stack?.stop();
  await endpoint?.close();
});

async function query<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  const one = new Client({ connectionString: postgres.url });
  await one.connect();
  const { rows } = await one.query<T>(text, values);
  await one.end();
  return rows;
}

/** Number of passages and generations, including those invisible to searches. */
async function stored(id: number): Promise<{ chunks: number; generations: number; places: number }> {
  const text = `SELECT count(*)::integer AS chunks, count(DISTINCT generation)::integer AS generations, count(DISTINCT ordinal)::integer AS places
    FROM knowledge_chunks WHERE knowledge_base_id = $1`;
  const [counted] = await query<{ chunks: number; generations: number; places: number }>(text, [id]);
  return counted!;
}

const enters = (id: number, stage: string): Promise<DocumentEvent> =>
  events.next((one) => one.id === id && one.stage === stage);

const worker = (): StackProcess => stack.processes.find(({ role }) => role === 'worker')!;

describe('a document worker', () => {
  let id: number;
  let clean: number;

  beforeAll(async () => {
    ({ id } = await client.file('manual.md', TEXT));
    await events.ended([id]);
    clean = (await client.get(id)).chunk_count;
  });

  // `sniff`, the wait for a parser, is stored by the renewal of the leases if it takes longer.
  it.each(['fetch', 'parse', 'chunk', 'index'])(
    'that is killed in the stage %s leaves nothing behind, the next one ends the document, and searches are answered all the while',
    async (stage) => {
      expect(clean).toBeGreaterThan(200);
      const reached = enters(id, stage);
      await client.reprocess(id);
      await reached;
      const parsers = await readersOf(worker().child.pid!);
      await stack.kill(worker());
      await eventually(
        () => parsers.filter(isAlive),
        (alive) => alive.length === 0,
      );
      expect((await client.search('kettle warranty'))[0]?.text).toContain(SENTENCE);
      await events.expireLeases();
      await stack.add('worker');
      await events.ended([id]);
      expect(await client.get(id)).toMatchObject({ status: 'completed', chunk_count: clean });
      expect(await stored(id)).toEqual({ chunks: clean, generations: 1, places: clean });
      expect((await client.search('kettle warranty'))[0]?.text).toContain(SENTENCE);
    },
  );

  it('that is stopped takes its parser along, and the next one ends the document', async () => {
    const small = await client.file('small.md', 'Its parser waits for another document.');
    await events.ended([small.id]);
    const parsers = await readersOf(worker().child.pid!);
    expect(parsers).not.toEqual([]);
    const reached = enters(id, 'chunk');
    await client.reprocess(id);
    await reached;
    parsers.push(...(await readersOf(worker().child.pid!)));
    expect(await stack.retire(worker())).toBe(0);
    expect(parsers.filter(isAlive)).toEqual([]);
    await stack.add('worker');
    await events.ended([id]);
    expect(await client.get(id)).toMatchObject({ status: 'completed', chunk_count: clean });
  });
});

it('every document is processed exactly once although the database restarts during the work', async () => {
  const documents = await Promise.all(Array.from({ length: 3 }, (_, i) => client.file(`${i}.md`, TEXT)));
  const ids = documents.map(({ id }) => id);
  await events.next(({ id, stage }) => ids.includes(id) && stage === 'chunk');
  await events.close();
  await postgres.stop();
  await postgres.startAgain();
  events = await DocumentEvents.subscribe(postgres.url);
  await events.ended(ids);
  for (const id of ids) {
    const { status, chunk_count: chunks } = await client.get(id);
    expect(status).toBe('completed');
    expect(await stored(id)).toEqual({ chunks, generations: 1, places: chunks });
  }
  expect(stack.processes.map(({ child }) => child.exitCode)).toEqual([null, null]);
});
