import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { DocumentEvents } from '../../support/document-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient, type KnowledgeBase } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const QUESTION = 'How long can goods be returned?';
const OLD = 'Goods can be returned within 30 days of the purchase.';
const NEW = 'Please ask our friendly staff about the return of goods.';
const FILLER = 'Our shop in the harbour sells kettles and toasters of all sizes. '.repeat(10);

let stack: Stack;
let pool: Pool;
let events: DocumentEvents;
let account: TestAccount;
let client: KnowledgeClient;
let site: Server;
let accounts = 0;
let answer = OLD;
/** Resolves when the page may be delivered. */
let delivery = Promise.resolve();

beforeAll(async () => {
  site = createServer((_, response) => {
    const page = `<html><head><title>Terms</title></head><body><article><h1>Returns</h1><p>${FILLER}</p><p>${answer}</p></article></body></html>`;
    void delivery.then(() => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page));
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  stack = await Stack.start({ dialers: 0 });
  pool = new Pool({ connectionString: stack.database.url, max: 2 });
  events = await DocumentEvents.subscribe(stack.database.url);
});
afterAll(async () => {
  await events?.close();
  await pool?.end();
  await stack?.stop();
  site.closeAllConnections();
  site.close();
});
beforeEach(async () => {
  answer = OLD;
  delivery = Promise.resolve();
  account = await createAccount(stack, { name: `account-${++accounts}` });
  client = new KnowledgeClient(stack, account);
});

const best = async (): Promise<string> => (await client.search(QUESTION, 1))[0]?.text ?? '';

async function processed(begun: Promise<KnowledgeBase>): Promise<KnowledgeBase> {
  const { id } = await begun;
  await events.ended([id]);
  return client.get(id);
}

/** A served page with a test of its answer. */
async function testedPage(): Promise<{ id: number; testId: number }> {
  const { port } = site.address() as AddressInfo;
  const { id } = await processed(client.url(`http://127.0.0.1:${port}/terms`));
  const test = await client.addTest({ question: QUESTION, expected_text: 'within 30 days' });
  return { id, testId: test.id };
}

/** A page whose refresh has lost the answer. */
async function heldPage(): Promise<{ id: number; testId: number }> {
  const page = await testedPage();
  answer = NEW;
  await processed(client.reprocess(page.id));
  return page;
}

/** Stored generations, including invisible ones. */
async function generations(id: number): Promise<number> {
  const text = 'SELECT count(DISTINCT generation)::integer AS n FROM knowledge_chunks WHERE knowledge_base_id = $1';
  return (await pool.query<{ n: number }>(text, [id])).rows[0]!.n;
}

const resultOf = (testId: number, result: string) =>
  eventually(
    () => client.getTest(testId),
    (test) => test.result === result,
  );

describe('a refresh that loses an answer', () => {
  it('is held back until it is released, and the test says why', async () => {
    const { id, testId } = await testedPage();
    expect(await resultOf(testId, 'passed')).toMatchObject({ rank: 1, reason: null, held_refreshes: [] });
    answer = NEW;
    const held = await processed(client.reprocess(id));
    expect(held).toMatchObject({ status: 'completed', refresh: 'held', processing_error: null, stage: null });
    expect(held.held_reason).toBe(
      `1 retrieval test would fail: test ${testId} "${QUESTION}": The expected text is not among the first 1 passages.`,
    );
    expect(await best()).toContain(OLD);
    const reason = 'The expected text is not among the first 1 passages.';
    const [test] = await client.tests();
    expect(test).toMatchObject({ result: 'passed', held_refreshes: [{ knowledge_base_id: id, reason }] });
    expect(await generations(id)).toBe(2);

    const released = await client.release(id);
    expect(released).toMatchObject({ status: 'completed', refresh: null, held_reason: null });
    expect(await best()).toContain(NEW);
    expect(await generations(id)).toBe(1);
    const failed = await resultOf(testId, 'failed');
    expect(failed).toMatchObject({ reason, rank: null, held_refreshes: [] });
    expect(failed.failing_since).not.toBeNull();
    const audit = await pool.query<{ action: string }>(
      `SELECT action FROM audit_events WHERE account_id = $1 AND action ~ 'refresh|tests' ORDER BY id`,
      [account.accountId],
    );
    expect(audit.rows.map(({ action }) => action)).toEqual([
      'knowledge_base.refresh_held',
      'knowledge_base.refresh_released',
      'knowledge_tests.failed',
    ]);
    await expect(client.release(id)).rejects.toThrow('no refresh that is held back');
  });

  it('is deleted when it is discarded', async () => {
    const { id, testId } = await heldPage();
    expect(await client.discard(id)).toMatchObject({ refresh: null, held_reason: null, status: 'completed' });
    expect(await generations(id)).toBe(1);
    expect(await best()).toContain(OLD);
    expect(await client.getTest(testId)).toMatchObject({ held_refreshes: [] });
    await expect(client.discard(id)).rejects.toThrow('no refresh that is held back');
  });

  it('is replaced by the next one, which is served if it has the answer again', async () => {
    const { id } = await heldPage();
    answer = `${NEW} And again.`;
    expect(await processed(client.reprocess(id))).toMatchObject({ refresh: 'held' });
    expect(await generations(id)).toBe(2);
    answer = `${OLD} Bring the receipt.`;
    expect(await processed(client.reprocess(id))).toMatchObject({ refresh: null, held_reason: null });
    expect(await generations(id)).toBe(1);
    expect(await best()).toContain('receipt');
  });

  it('is dropped when the page is as it was before', async () => {
    const { id, testId } = await heldPage();
    answer = OLD;
    expect(await processed(client.reprocess(id))).toMatchObject({ refresh: null, held_reason: null });
    expect(await generations(id)).toBe(1);
    expect(await client.getTest(testId)).toMatchObject({ held_refreshes: [] });
  });

  it('stays held when the next one fails', async () => {
    const { id } = await heldPage();
    await pool.query(`UPDATE knowledge_bases SET source_reference = 'http://10.0.0.1/' WHERE id = $1`, [id]);
    expect(await processed(client.reprocess(id))).toMatchObject({ status: 'failed', refresh: 'held' });
    expect(await generations(id)).toBe(2);
    await client.release(id);
    expect(await best()).toContain(NEW);
  });

  it('is served if its tests are inactive or failed before', async () => {
    const { id, testId } = await testedPage();
    await client.addTest({ question: QUESTION, expected_text: 'within 90 days' });
    const api = `${stack.baseUrl}/api/v1/agents/${account.agentId}/knowledge-bases/tests/${testId}`;
    const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' };
    await fetch(api, { method: 'PUT', headers, body: '{"is_active":false}' });
    answer = NEW;
    expect(await processed(client.reprocess(id))).toMatchObject({ refresh: null });
    expect(await best()).toContain(NEW);
  });

  it('is deleted with its knowledge base', async () => {
    const { id, testId } = await heldPage();
    await client.delete(id);
    expect(await generations(id)).toBe(0);
    expect(await client.getTest(testId)).toMatchObject({ held_refreshes: [] });
  });
});

suiteWith(['bash', 'curl'])('docs/retrieval-tests.md', () => {
  it('has commands that create, run and list tests, and release a refresh', async () => {
    const { id } = await heldPage();
    await client.text('Opening hours', 'We are open every day from 9 to 18; on Sunday until 12.');
    const [create = '', release = ''] = [
      ...readFileSync('docs/retrieval-tests.md', 'utf8').matchAll(/```sh\n([^`]*)```/g),
    ].map(([, commands]) => commands);
    const env = { URL: stack.baseUrl, AGENT: String(account.agentId), TOKEN: account.token, ID: String(id) };
    const run = async (commands: string) =>
      (await promisify(execFile)('bash', ['-ec', commands], { env: { ...process.env, ...env } })).stdout;
    const created = await run(create);
    expect(created).toContain('Knowledge test created successfully.');
    expect(created).toContain('"meta":{"passed":3,"failed":0,"passed_by_words":null}');
    const released = await run(release);
    expect(released).toContain('"refresh":"held"');
    expect(released).toContain('The refresh is served.');
  });
});

describe('concurrent decisions about a held refresh', () => {
  it('are made once: one of several releases and discards succeeds', async () => {
    const { id } = await heldPage();
    const decisions = [client.release(id), client.discard(id), client.release(id), client.discard(id)];
    const settled = await Promise.allSettled(decisions);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await generations(id)).toBe(1);
    const text = settled[0]?.status === 'fulfilled' || settled[2]?.status === 'fulfilled' ? NEW : OLD;
    expect(await best()).toContain(text);
  });

  it('wait for a worker that is processing, except for a discard, which does not disturb it', async () => {
    const { id } = await heldPage();
    answer = `${OLD} Bring the receipt.`;
    let deliver = (): void => undefined;
    delivery = new Promise((resolve) => (deliver = resolve));
    const fetching = events.next((event) => event.id === id && event.stage === 'fetch');
    await client.reprocess(id);
    await fetching;
    await expect(client.release(id)).rejects.toThrow('is being processed');
    expect(await client.discard(id)).toMatchObject({ status: 'processing', refresh: null });
    deliver();
    await events.ended([id]);
    expect(await client.get(id)).toMatchObject({ status: 'completed', refresh: null });
    expect(await best()).toContain('receipt');
    expect(await generations(id)).toBe(1);
  });

  it('include the deletion during the processing', async () => {
    const { id } = await heldPage();
    let deliver = (): void => undefined;
    delivery = new Promise((resolve) => (deliver = resolve));
    const fetching = events.next((event) => event.id === id && event.stage === 'fetch');
    await client.reprocess(id);
    await fetching;
    await client.delete(id);
    deliver();
    expect(await generations(id)).toBe(0);
  });
});

describe('a worker that is killed', () => {
  it.each(['fetch', 'chunk', 'index'])(
    'in the stage %s of a refresh that loses an answer leaves the old answer, and the next worker holds the refresh back',
    async (stage) => {
      const { id } = await heldPage();
      answer = `${NEW} Second edition.`;
      const reached = events.next((event) => event.id === id && event.stage === stage);
      await client.reprocess(id);
      await reached;
      await stack.kill(stack.processes.find(({ role }) => role === 'worker')!);
      expect(await best()).toContain(OLD);
      // The lease of a dead worker expires after a minute.
      await pool.query(`UPDATE knowledge_bases SET lease_until = now() - interval '1 s' WHERE status = 'processing'`);
      await stack.add('worker');
      await events.ended([id]);
      expect(await client.get(id)).toMatchObject({ status: 'completed', refresh: 'held' });
      expect(await best()).toContain(OLD);
      expect(await generations(id)).toBe(2);
      await client.release(id);
      expect(await best()).toContain('Second edition');
      expect(await generations(id)).toBe(1);
    },
  );

  it('between a change and the run of the tests loses no run', async () => {
    await stack.kill(stack.processes.find(({ role }) => role === 'worker')!);
    await client.text('Terms', OLD);
    const test = await client.addTest({ question: QUESTION, expected_text: 'within 30 days' });
    // The run of a worker that died.
    await pool.query(
      `UPDATE knowledge_test_runs SET lease_owner = 'dead', due_at = now() - interval '1 s' WHERE agent_id = $1`,
      [account.agentId],
    );
    await stack.add('worker');
    expect(await resultOf(test.id, 'passed')).toMatchObject({ rank: 1 });
  });
});
