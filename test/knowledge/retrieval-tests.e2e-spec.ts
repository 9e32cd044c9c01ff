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
  const client = new KnowledgeClient(service, await service.account());
  site.set({ [name]: OLD });
  const { id } = await processed(client, client.url(site.origin + name));
  const test = await client.addTest({ question: QUESTION, expected_text: 'within 30 days' });
  await resultOf(client, test.id, 'passed');
  site.set({ [name]: NEW });
  const held = await processed(client, client.reprocess(id));
  const best = async (): Promise<string> => (await client.search(QUESTION, 1))[0]?.text ?? '';
  return { client, id, test: test.id, held, best };
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
    await resultOf(client, test.id, 'passed');
  });

  it('runs on request, and returns the rank and the found passages', async () => {
    const account = await service.account();
    const client = new KnowledgeClient(service, account);
    const base = await client.text('Hours', 'We are open from 9 to 18.');
    const questions = ['When are you open?', 'opening hours'];
    await client.addTest({ questions, expected_knowledge_base_id: base.id, within: 1 });
    await client.addTest({ question: 'Do you sell kettles?', expected_text: 'kettle' });
    const answer = await service.as(account.token).post(`${path(account)}/run`);
    expect([answer.status, answer.body.meta]).toMatchObject([200, { passed: 1 }]);
    const failed = await service.as(account.token).get(`${path(account)}?result=failed`);
    expect(failed.body.data).toMatchObject([{ question: 'Do you sell kettles?', rank: null }]);
  });

  it.each([
    [{}, ['question']],
    [{ question: 'x' }, ['expected_text']],
    [{ question: 'x'.repeat(1_001), expected_text: 'y' }, ['question']],
    [{ question: 'x', expected_text: 'y', within: 21 }, ['within']],
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
    expect((await service.as(account.token).delete(one)).status).toBe(200);
    expect(await client.tests()).toEqual([]);
  });
});

describe('a refresh that loses an answer', () => {
  it('is held back, with the reason, until it is released', async () => {
    const { client, id, test, held, best } = await heldPage('/released');
    expect(held).toMatchObject({ status: 'completed', refresh: 'held', processing_error: null });
    expect(held.held_reason).toContain(`test ${test} "${QUESTION}"`);
    expect(await best()).toContain('within 30 days');
    expect(await client.getTest(test)).toMatchObject({ result: 'passed', held_refreshes: [{ knowledge_base_id: id }] });
    expect(await client.release(id)).toMatchObject({ refresh: null, held_reason: null });
    expect(await best()).toContain('friendly staff');
    await resultOf(client, test, 'failed');
    await expect(client.release(id)).rejects.toMatchObject({ status: 409 });
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
});
