import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { DocumentEvents } from '../../support/document-events.js';
import { KnowledgeClient, type KnowledgeBase } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { type SitePage, TestSite } from '../../support/test-site.js';
import { createAccount } from '../../support/workspace.js';

const QUESTION = 'How long can goods be returned?';
const FILLER = 'Every device is delivered with a manual and a list of spare parts. '.repeat(6);
const page = (title: string, text: string, ...links: string[]): SitePage => ({
  title,
  text: `${text} ${FILLER}`,
  links,
});
const WITH_ANSWER = page('Returns', 'Goods can be returned within thirty days.');
const WITHOUT_ANSWER = page('Returns', 'Please ask our staff about the return of goods.');

let stack: Stack;
let pool: Pool;
let events: DocumentEvents;
let client: KnowledgeClient;
let site: TestSite;
let accounts = 0;

beforeAll(async () => {
  stack = await Stack.start({ dialers: 0, env: { EGRESS_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'fatal' } });
  pool = new Pool({ connectionString: stack.database.url, max: 2 });
  events = await DocumentEvents.subscribe(stack.database.url);
  site = await TestSite.start();
});
afterAll(async () => {
  site?.close();
  await events?.close();
  await pool?.end();
  await stack?.stop();
});
beforeEach(async () => {
  client = new KnowledgeClient(stack, await createAccount(stack, { name: `account-${++accounts}` }));
  site.set({
    '/': page('Start', 'Welcome.', '/returns', '/warranty', '/hours'),
    '/returns': WITH_ANSWER,
    '/warranty': page('Warranty', 'The element of the kettle is covered for seven years.'),
    '/hours': page('Hours', 'The shop opens at nine.'),
  });
});

/** A crawled site with a test that finds its answer, whose page then loses the answer while another page gets a new text. */
async function testedSite(): Promise<{ id: number; testId: number }> {
  const { id } = await client.crawl(`${site.origin}/`, {}, 'daily');
  await events.ended([id]);
  const test = await client.addTest({ question: QUESTION, expected_text: 'within thirty days' });
  site.set({ '/returns': WITHOUT_ANSWER, '/hours': page('Hours', 'The shop opens at eleven.') });
  return { id, testId: test.id };
}

/** The time of the refresh has come. */
async function begin(id: number): Promise<void> {
  const begins = events.next((one) => one.id === id && one.status === 'pending');
  await pool.query(`UPDATE knowledge_bases SET next_refresh_at = now() - interval '1 s' WHERE id = $1`, [id]);
  await begins;
}

async function refreshed(id: number): Promise<KnowledgeBase> {
  await begin(id);
  await events.ended([id]);
  return client.get(id);
}

const served = async () => ({
  returns: (await client.search(QUESTION, 1))[0]?.text.includes('within thirty days'),
  opens: /opens at (\w+)/.exec((await client.search('When does the shop open?', 1))[0]?.text ?? '')?.[1],
});
const OLD = { returns: true, opens: 'nine' };
const NEW = { returns: false, opens: 'eleven' };

/** Stored generations and passages, including invisible ones. */
async function stored(id: number): Promise<{ generations: number; chunks: number }> {
  const text = `SELECT count(DISTINCT generation)::integer AS generations, count(*)::integer AS chunks
    FROM knowledge_chunks WHERE knowledge_base_id = $1`;
  return (await pool.query<{ generations: number; chunks: number }>(text, [id])).rows[0]!;
}

describe('a scheduled refresh of a crawl that loses an answer', () => {
  it('is held: the old pages are served until it is released, and the test names the reason', async () => {
    const { id, testId } = await testedSite();
    expect(await refreshed(id)).toMatchObject({
      status: 'completed',
      refresh: 'held',
      refresh_schedule: 'daily',
      error_code: null,
      held_reason: expect.stringContaining(`1 retrieval test would fail: test ${testId} "${QUESTION}"`),
    });
    expect(await served()).toEqual(OLD);
    expect(await stored(id)).toEqual({ generations: 2, chunks: 8 });
    expect(await client.getTest(testId)).toMatchObject({ held_refreshes: [{ knowledge_base_id: id }] });
    expect(await client.release(id)).toMatchObject({ refresh: 'daily', held_reason: null });
    expect(await served()).toEqual(NEW);
    expect(await stored(id)).toEqual({ generations: 1, chunks: 4 });
    expect(await client.pages(id)).toHaveLength(4);
  });

  it('is deleted when it is discarded, and the next refresh with the answer serves all its changes', async () => {
    const { id } = await testedSite();
    await refreshed(id);
    expect(await client.discard(id)).toMatchObject({ refresh: 'daily', held_reason: null });
    expect(await served()).toEqual(OLD);
    expect(await stored(id)).toEqual({ generations: 1, chunks: 4 });
    expect(await client.pages(id)).toHaveLength(4);
    site.set({ '/returns': page('Returns', 'Goods can be returned within thirty days, with their receipt.') });
    expect(await refreshed(id)).toMatchObject({ refresh: 'daily', last_refresh: { changed: 2, unchanged: 2 } });
    expect(await served()).toEqual({ returns: true, opens: 'eleven' });
    expect(await stored(id)).toEqual({ generations: 1, chunks: 4 });
  });

  it('is held by the next worker when its worker is killed between the last page and the swap', async () => {
    const { id } = await testedSite();
    const built = events.next((one) => one.id === id && one.stage === 'index');
    await begin(id);
    await built;
    await stack.kill(stack.processes.find(({ role }) => role === 'worker')!);
    expect(await served()).toEqual(OLD);
    await events.expireLeases();
    await stack.add('worker');
    await events.ended([id]);
    expect(await client.get(id)).toMatchObject({ status: 'completed', refresh: 'held' });
    expect(await served()).toEqual(OLD);
    expect(await stored(id)).toEqual({ generations: 2, chunks: 8 });
    await client.release(id);
    expect(await served()).toEqual(NEW);
    expect(await stored(id)).toEqual({ generations: 1, chunks: 4 });
  });
});

it('a crawl whose worker is killed between the last page and the swap is served once, by the next worker', async () => {
  const created = events.next((one) => one.stage === 'index');
  const { id } = await client.crawl(`${site.origin}/`);
  await created;
  await stack.kill(stack.processes.find(({ role }) => role === 'worker')!);
  const requests = site.requests.length;
  await events.expireLeases();
  await stack.add('worker');
  await events.ended([id]);
  expect(await client.get(id)).toMatchObject({ status: 'completed', chunk_count: 4, pages: { completed: 4 } });
  expect(await stored(id)).toEqual({ generations: 1, chunks: 4 });
  expect(site.requests).toHaveLength(requests);
});
