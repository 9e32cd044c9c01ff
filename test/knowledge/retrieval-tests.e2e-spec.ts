import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Workspace } from '../support/factories.js';
import { type KnowledgeBase, KnowledgeClient, type KnowledgeTest } from '../support/knowledge-client.js';
import { Service } from '../support/service.js';
import { TestSite } from '../support/test-site.js';

const QUESTION = 'How long can goods be returned?';
const FILLER = 'Our shop in the harbour sells kettles and toasters of all sizes. '.repeat(10);
const page = (sentence: string) => ({ title: 'Returns', text: `${FILLER} ${sentence}` });
const OLD = page('Goods can be returned within 30 days of the purchase.');
const NEW = page('Please ask our friendly staff about the return of goods.');

const service = Service.get();
let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start();
});
afterAll(async () => {
  site?.close();
  await service.close();
});

const path = ({ agentId }: Workspace): string => `/api/v1/agents/${agentId}/knowledge-bases/tests`;
const processed = async (client: KnowledgeClient, begun: Promise<KnowledgeBase>): Promise<KnowledgeBase> => {
  const { id } = await begun;
  return eventually(
    () => client.get(id),
    ({ status }) => status === 'completed' || status === 'failed',
  );
};
const resultOf = (client: KnowledgeClient, id: number, result: KnowledgeTest['result']): Promise<KnowledgeTest> =>
  eventually(
    () => client.getTest(id),
    (test) => test.result === result,
  );

/** A page with a test that its refresh fails, which is therefore held back. */
async function heldPage(name: string) {
  const account = await service.account();
  const client = new KnowledgeClient(service, account);
  site.set({ [name]: OLD });
  const { id } = await processed(client, client.url(site.origin + name));
  const test = await client.addTest({ question: QUESTION, expected_text: 'within 30 days' });
  await resultOf(client, test.id, 'passed');
  site.set({ [name]: NEW });
  const held = await processed(client, client.reprocess(id));
  const best = async (): Promise<string> => (await client.search(QUESTION, 1))[0]?.text ?? '';
  return { account, client, id, test: test.id, held, best };
}

describe('a retrieval test', () => {
  it('runs by itself after each change of the knowledge, and says why it failed', async () => {
    const client = new KnowledgeClient(service, await service.account());
    const { id } = await client.text('Terms', 'Goods can be returned within 30 days.');
    const test = await client.addTest({
      question: QUESTION,
      expected_text: 'Within 30 days',
      expected_source: 'Terms',
    });
    expect(test).toMatchObject({ result: 'pending', rank: null, within: 3, is_active: true });
    expect(await resultOf(client, test.id, 'passed')).toMatchObject({ rank: 1, reason: null, failing_since: null });
    await client.change(id, { content: 'Goods can be returned within 14 days.' });
    const failed = await resultOf(client, test.id, 'failed');
    expect(failed).toMatchObject({
      reason: expect.stringContaining('expected text'),
      failing_since: expect.any(String),
    });
    await client.change(id, { content: 'Goods can be returned within 30 days again.' });
    expect(await resultOf(client, test.id, 'passed')).toMatchObject({ reason: null, failing_since: null });
    await client.change(id, { is_active: false });
    expect(await resultOf(client, test.id, 'failed')).toMatchObject({ reason: 'The search returns no passage.' });
    await client.change(id, { is_active: true });
    await resultOf(client, test.id, 'passed');
    await client.delete(id);
    await resultOf(client, test.id, 'failed');
  });

  it('runs on request, and returns the rank and the found passages', async () => {
    const account = await service.account();
    const client = new KnowledgeClient(service, account);
    const base = await client.text('Hours', 'We are open from 9 to 18.');
    const questions = ['When are you open?', 'opening hours'];
    await client.addTest({ questions, expected_knowledge_base_id: base.id, within: 1 });
    const failing = await client.addTest({ question: 'Do you sell kettles?', expected_text: 'kettle' });
    await client.addTest({ question: 'Do you sell kettles?', expected_text: 'kettle', is_active: false });
    const answer = await service.as(account.token).post(`${path(account)}/run`);
    expect([answer.status, answer.body.meta]).toEqual([200, { passed: 1, failed: 1, passed_by_words: null }]);
    const [found] = await client.search('When are you open?');
    const search = { rank: 1, chunk_ids: [found?.chunk_id] };
    expect(answer.body.data).toMatchObject([
      { result: 'passed', rank: 1, reason: null, searches: questions.map((question) => ({ question, ...search })) },
      { id: failing.id, result: 'failed', rank: null },
    ]);
    expect((await service.as(account.token).get(`${path(account)}?result=pending`)).body.data).toHaveLength(1);
    const failed = await service.as(account.token).get(`${path(account)}?result=failed`);
    expect(failed.body.data).toMatchObject([{ question: 'Do you sell kettles?', rank: null }]);
  });

  it.each([
    [{}, ['question']],
    [{ question: 'x' }, ['expected_text']],
    [{ question: 'x'.repeat(1_001), expected_text: 'y' }, ['question']],
    [{ question: 'x', expected_text: 'y', within: 21 }, ['within']],
    [{ question: 'x', expected_text: 'y', within: 0 }, ['within']],
    [{ question: ' ', expected_text: 'y' }, ['question']],
    [{ question: 'x', questions: ['y'], expected_text: 'z' }, ['questions']],
    [{ questions: [], expected_text: 'y' }, ['questions']],
    [{ questions: ['a', 'b', 'c', 'd'], expected_text: 'y' }, ['questions']],
    [{ questions: ['a', ''], expected_text: 'y' }, ['questions.1']],
    [{ question: 'x', expected_text: '?!' }, ['expected_text']],
    [{ question: 'x', expected_text: 'y', is_active: 'maybe' }, ['is_active']],
    [{ question: 'x', expected_knowledge_base_id: 2_000_000_000 }, ['expected_knowledge_base_id']],
  ])('is refused if invalid: %j', async (body, fields) => {
    const account = await service.account();
    const answer = await service.as(account.token).post(path(account)).send(body);
    expect([answer.status, Object.keys((answer.body.errors ?? {}) as object)]).toEqual([422, fields]);
  });

  it('is changed, deleted, and invisible to other accounts', async () => {
    const [account, other] = [await service.account(), await service.account()];
    const client = new KnowledgeClient(service, account);
    const { id } = await client.addTest({ question: QUESTION, expected_text: '30 days' });
    const one = `${path(account)}/${id}`;
    for (const method of ['get', 'put', 'delete'] as const)
      expect((await service.as(other.token)[method](one)).status).toBe(404);
    const changed = await service.as(account.token).patch(one).send({ within: 5, is_active: false });
    expect(changed.body.data).toMatchObject({ within: 5, is_active: false, expected_text: '30 days' });
    const without = await service.as(account.token).patch(one).send({ expected_text: null });
    expect([without.status, Object.keys(without.body.errors as object)]).toEqual([422, ['expected_text']]);
    expect((await service.as(account.token).delete(one)).status).toBe(200);
    expect(await client.tests()).toEqual([]);
    const audit = await service.as(account.token).get(`/api/v1/audit-events?subject=knowledge_test:${id}`);
    expect((audit.body.data as { action: string }[]).map(({ action }) => action)).toEqual([
      'knowledge_test.deleted',
      'knowledge_test.updated',
      'knowledge_test.created',
    ]);
  });

  it('forgets its result when its question changes', async () => {
    const client = new KnowledgeClient(service, await service.account());
    await client.text('Terms', 'Goods can be returned within 30 days.');
    const { id } = await client.addTest({ question: QUESTION, expected_text: '30 days' });
    await resultOf(client, id, 'passed');
    const changed = await client.changeTest(id, { question: 'Can I return goods?' });
    expect(changed).toMatchObject({ result: 'pending', checked_at: null });
  });

  it('is created once for an Idempotency-Key', async () => {
    const account = await service.account();
    const send = (within: number) =>
      service
        .as(account.token)
        .post(path(account))
        .set('Idempotency-Key', 'once')
        .send({ question: QUESTION, expected_text: 'x', within });
    const [first, second] = await Promise.all([send(3), send(3)]);
    expect(second.body.data).toEqual(first.body.data);
    expect((await send(5)).status).toBe(409);
  });

  it('is one of 200 of the agent at most, which run once at a time', async () => {
    const account = await service.account();
    const as = () => service.as(account.token);
    await service.pool.query(
      `INSERT INTO knowledge_tests (account_id, agent_id, questions, expected_text)
       SELECT $1, $2, ARRAY['a'], 'x' FROM generate_series(1, 199)`,
      [account.accountId, account.agentId],
    );
    const body = { question: 'a', expected_text: 'x' };
    const both = await Promise.all([as().post(path(account)).send(body), as().post(path(account)).send(body)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const runs = await Promise.all([1, 2, 3].map(() => as().post(`${path(account)}/run`)));
    expect(runs.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 429, 429]);
  });
});

describe('a refresh that loses an answer', () => {
  it('is held back, with the reason, until it is released', async () => {
    const { account, client, id, test, held, best } = await heldPage('/released');
    expect(held).toMatchObject({ status: 'completed', refresh: 'held', processing_error: null });
    expect(held.held_reason).toContain(`test ${test} "${QUESTION}"`);
    expect(await best()).toContain('within 30 days');
    expect(await client.getTest(test)).toMatchObject({ result: 'passed', held_refreshes: [{ knowledge_base_id: id }] });
    // It stays held when the next one fails.
    site.set({ '/released': (_, response) => response.writeHead(404).end() });
    expect(await processed(client, client.reprocess(id))).toMatchObject({ status: 'failed', refresh: 'held' });
    expect(await client.release(id)).toMatchObject({ refresh: null, held_reason: null });
    expect(await best()).toContain('friendly staff');
    await resultOf(client, test, 'failed');
    await expect(client.release(id)).rejects.toMatchObject({ status: 409 });
    const { body } = await service.as(account.token).get('/api/v1/audit-events?per_page=100');
    const actions = (body.data as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => /refresh_|tests/.test(action))).toEqual([
      'knowledge_tests.failed',
      'knowledge_base.refresh_released',
      'knowledge_base.refresh_held',
    ]);
  });

  it('can be discarded, and ends when the page has the answer again', async () => {
    const { client, id, held, best } = await heldPage('/discarded');
    expect(held.refresh).toBe('held');
    expect(await client.discard(id)).toMatchObject({ refresh: null });
    expect(await best()).toContain('within 30 days');
    expect(await processed(client, client.reprocess(id))).toMatchObject({ refresh: 'held' });
    site.set({ '/discarded': OLD });
    expect(await processed(client, client.reprocess(id))).toMatchObject({ status: 'completed', refresh: null });
  });

  it('is replaced by the next one, which is served if it has the answer', async () => {
    const { client, id, best } = await heldPage('/replaced');
    site.set({ '/replaced': page('Please ask our friendly staff, and again, about the return of goods.') });
    expect(await processed(client, client.reprocess(id))).toMatchObject({ refresh: 'held' });
    site.set({ '/replaced': page('Goods can be returned within 30 days. Bring the receipt.') });
    expect(await processed(client, client.reprocess(id))).toMatchObject({ refresh: null, held_reason: null });
    expect(await best()).toContain('receipt');
  });

  it('is served if its tests are inactive or failed before', async () => {
    const account = await service.account();
    const client = new KnowledgeClient(service, account);
    site.set({ '/untested': OLD });
    const { id } = await processed(client, client.url(`${site.origin}/untested`));
    await client.addTest({ question: QUESTION, expected_text: 'within 30 days', is_active: false });
    const failing = await client.addTest({ question: QUESTION, expected_text: 'within 90 days' });
    await resultOf(client, failing.id, 'failed');
    site.set({ '/untested': NEW });
    expect(await processed(client, client.reprocess(id))).toMatchObject({ refresh: null });
    expect((await client.search(QUESTION, 1))[0]?.text).toContain('friendly staff');
  });
});
