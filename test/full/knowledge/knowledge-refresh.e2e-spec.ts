import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { DocumentEvents } from '../../support/document-events.js';
import { EmbeddingsEndpoint } from '../../support/embeddings-endpoint.js';
import { eventually } from '../../support/eventually.js';
import { type KnowledgeBase, KnowledgeClient } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { type SitePage, TestSite } from '../../support/test-site.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

let stack: Stack;
let site: TestSite;
let endpoint: EmbeddingsEndpoint;
let account: TestAccount;
let client: KnowledgeClient;
let events: DocumentEvents;
let database: Client;

const FILLER = 'Every device is delivered with a manual and a list of spare parts. '.repeat(6);
const page = (title: string, text: string, ...links: string[]): SitePage => ({
  title,
  text: `${text} ${FILLER}`,
  links,
});

beforeAll(async () => {
  endpoint = await EmbeddingsEndpoint.start();
  const embedder = {
    EMBEDDINGS_PROVIDER: 'openai',
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'test',
    EMBEDDINGS_DIMENSIONS: '64',
    OPENAI_API_KEY: 'x',
  };
  stack = await Stack.start({
    dialers: 0,
    env: { EGRESS_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'error', ...embedder },
  });
  site = await TestSite.start({
    '/': page('Start', 'Welcome.', '/a', '/b', '/c', '/d'),
    '/a': page('A', 'Goods can be returned within thirty days.'),
    '/b': page('B', 'The shop opens at nine.'),
    '/c': page('C', 'The warranty covers seven years.'),
    '/d': page('D', 'Delivery is free.'),
  });
  events = await DocumentEvents.subscribe(stack.database.url);
  account = await createAccount(stack, { name: 'acme' });
  client = new KnowledgeClient(stack, account);
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await events?.close();
  await stack?.stop();
  await endpoint?.close();
  site?.close();
});

/** The time of the refresh has come. */
async function due(id: number): Promise<void> {
  const begins = events.next((one) => one.id === id && one.status === 'pending');
  await database.query(`UPDATE knowledge_bases SET next_refresh_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await begins;
}

async function refreshed(id: number): Promise<KnowledgeBase> {
  await due(id);
  await events.ended([id]);
  return client.get(id);
}

/** Waits until the vectors of the passages are complete. */
const vectorsOf = (id: number) =>
  eventually(
    () => client.get(id),
    ({ vectors }) => vectors?.done === vectors?.of,
  );

const answersOf = async (query: string): Promise<string> =>
  (await client.search(query)).map(({ text }) => text).join('\n');

describe('a scheduled refresh of a crawl', () => {
  let id: number;

  beforeAll(async () => {
    ({ id } = await client.crawl(`${site.origin}/`, {}, 'daily'));
    await events.ended([id]);
  });

  it('requests only changes, keeps the vectors of unchanged pages, and removes pages that are gone', async () => {
    const before = await client.get(id);
    expect(before).toMatchObject({
      status: 'completed',
      refresh: 'daily',
      refresh_schedule: 'daily',
      last_refresh: null,
    });
    expect(Date.parse(before.next_refresh_at!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    await vectorsOf(id);
    const embedded = endpoint.texts.length;
    site.unchanged.length = 0;
    site.set({
      '/': page('Start', 'Welcome.', '/a', '/c', '/d', '/e'),
      '/a': page('A', 'Goods can be returned within ninety days.'),
      '/e': page('E', 'The new page about gift cards.'),
    });
    site.pages.delete('/b');
    const after = await refreshed(id);
    expect(after).toMatchObject({
      status: 'completed',
      error_code: null,
      pages: { completed: 5, failed: 1 },
      last_refresh: { added: 1, changed: 2, unchanged: 2, removed: 1, failed: 1 },
    });
    expect(Date.parse(after.next_refresh_at!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(site.unchanged.sort()).toEqual(['/c', '/d']);
    expect(await answersOf('returned within days')).toContain('ninety');
    expect(await answersOf('gift cards')).toContain('gift cards');
    expect(await answersOf('shop opens at nine')).not.toContain('opens at nine');
    await vectorsOf(id);
    // Two pages have a new text (of the start only a link changed); the others keep their vectors.
    // The questions of an embedder check contain only some words of a sentence.
    const isPassage = (text: string): boolean => text.includes('Every device is delivered with a manual');
    expect(endpoint.texts.slice(embedded).filter(isPassage)).toHaveLength(2);
    const { rows } = await database.query(
      'SELECT DISTINCT generation FROM knowledge_chunks WHERE knowledge_base_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
  });

  it('keeps the passages of a page that fails', async () => {
    site.set({ '/c': (_, response) => response.writeHead(403).end() });
    const after = await refreshed(id);
    expect(after).toMatchObject({ status: 'completed', last_refresh: { added: 0, changed: 0, removed: 0 } });
    const [failed] = await client.pages(id, { state: 'failed' });
    expect(failed).toMatchObject({ url: `${site.origin}/c`, error_code: 'HTTP_403', chunk_count: 1 });
    expect(await answersOf('warranty covers')).toContain('seven years');
    site.set({ '/c': page('C', 'The warranty covers seven years.') });
  });

  it('that loses more than half of the pages is not served until the knowledge base is reprocessed', async () => {
    const start = site.pages.get('/')!;
    for (const path of ['/a', '/c', '/d', '/e']) site.pages.delete(path);
    const after = await refreshed(id);
    expect(after).toMatchObject({
      status: 'completed',
      error_code: 'REFRESH_SHRANK',
      processing_error: expect.stringMatching(/^REFRESH_SHRANK: The refreshed content has 1 pages instead of 5/),
      pages: { completed: 4, failed: 1 },
    });
    expect(await answersOf('returned within days')).toContain('ninety');
    expect(await answersOf('gift cards')).toContain('gift cards');
    await client.reprocess(id);
    await events.ended([id]);
    expect(await client.get(id)).toMatchObject({ status: 'completed', error_code: null, chunk_count: 1 });
    expect(await answersOf('gift cards')).not.toContain('gift cards');
    site.set({ '/': start });
  });

  it('continues after its worker was killed, and the previous content is served all the while', async () => {
    const texts = ['/k1', '/k2', '/k3', '/k4'];
    site.set({
      '/': page('Start', 'Welcome back.', ...texts),
      ...Object.fromEntries(texts.map((path) => [path, page(path, `Text of ${path}.`)])),
    });
    await client.reprocess(id);
    await events.ended([id]);
    const before = await client.get(id);
    const answer = site.pages.get('/k4')!;
    // The held request ends with its connection, when the worker dies.
    const held = new Promise<void>((resolve) => site.set({ '/k4': () => resolve() }));
    site.set({ '/k1': page('/k1', 'A new text of /k1.') });
    const seen = site.requests.length;
    await due(id);
    await held;
    await stack.kill(stack.processes.find(({ role }) => role === 'worker')!);
    expect(await answersOf('Text of k1')).not.toContain('A new text');
    site.set({ '/k4': answer });
    const between = site.requests.length;
    await events.expireLeases();
    await stack.add('worker');
    await events.ended([id]);
    expect(await client.get(id)).toMatchObject({
      status: 'completed',
      chunk_count: before.chunk_count,
      last_refresh: { added: 0, changed: 1, unchanged: 4, removed: 0, failed: 0 },
    });
    expect(await answersOf('Text of k1')).toContain('A new text');
    expect(site.requests.slice(between).length).toBeLessThan(site.requests.slice(seen, between).length);
  });
});

describe('a scheduled refresh of a single page', () => {
  it('says what changed, and its failure keeps the previous content and shows the error', async () => {
    site.set({ '/one': page('One', 'The first version.') });
    const api = apiOf(stack, account);
    const ALL = '/api/v1/agents/{agent_id}/knowledge-bases';
    const { data } = await api.POST(ALL, {
      params: { path: { agent_id: account.agentId } },
      body: { title: 'One', source_type: 'url', source_reference: `${site.origin}/one`, refresh: '0 3 * * *' },
    });
    const { id } = data!.data;
    await events.ended([id]);
    expect((await refreshed(id)).last_refresh).toMatchObject({ changed: 0, unchanged: 1, failed: 0 });
    site.set({ '/one': page('One', 'The second version.') });
    expect((await refreshed(id)).last_refresh).toMatchObject({ changed: 1, unchanged: 0 });
    site.set({ '/one': { title: 'One', text: 'Gone.' } });
    expect(await refreshed(id)).toMatchObject({ status: 'completed', error_code: 'REFRESH_SHRANK' });
    site.pages.delete('/one');
    const failed = await refreshed(id);
    expect(failed).toMatchObject({ status: 'completed', error_code: 'HTTP_404', last_refresh: { failed: 1 } });
    expect(await answersOf('second version')).toContain('second version');
    expect(await client.change(id, { refresh: null })).toMatchObject({ refresh: null, next_refresh_at: null });
  });
});
