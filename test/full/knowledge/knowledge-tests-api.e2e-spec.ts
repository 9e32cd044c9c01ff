import { DocumentClaimsRepository, DueTestsService, KnowledgeTestsModule } from '@app/knowledge';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { InProcessApi } from '../../support/in-process-api.js';
import { databaseOver } from '../../support/database-over.js';
import { eventually } from '../../support/eventually.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';
import { aGeneration, aKnowledgeBase, chunksOf, serve } from '../../support/knowledge-rows.js';

const QUESTION = 'How long can goods be returned?';

let api: InProcessApi;
let own: Workspace;
let bases: string;
let tests: string;

beforeAll(async () => {
  api = await InProcessApi.start();
});
afterAll(() => api?.stop());
beforeEach(async () => {
  own = await aWorkspace(api.pool);
  bases = `/api/v1/agents/${own.agentId}/knowledge-bases`;
  tests = `${bases}/tests`;
});

const me = () => api.as(own.token);
const create = (body: object): Promise<Response> => Promise.resolve(me().post(tests).send(body));

async function aText(title: string, content: string): Promise<number> {
  const { body } = await me().post(bases).send({ title, source_type: 'text', content });
  return (body.data as { id: number }).id;
}

describe('a retrieval test', () => {
  it('is created, retrieved, listed, updated and deleted', async () => {
    const created = await create({ question: ` ${QUESTION} `, expected_text: 'within 30 days' });
    expect(created.status).toBe(201);
    const { id } = created.body.data as { id: number };
    const test = {
      id,
      agent_id: own.agentId,
      question: QUESTION,
      questions: [QUESTION],
      expected_text: 'within 30 days',
      expected_source: null,
      expected_knowledge_base_id: null,
      within: 3,
      is_active: true,
      result: 'pending',
      rank: null,
      reason: null,
      failing_since: null,
      checked_at: null,
      held_refreshes: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(created.body).toEqual({ message: 'Knowledge test created successfully.', data: test });
    expect((await me().get(`${tests}/${id}`)).body).toEqual({ data: test });
    const changed = await me().put(`${tests}/${id}`).send({ expected_text: null, expected_source: 'Terms', within: 1 });
    expect(changed.body.data).toMatchObject({ expected_text: null, expected_source: 'Terms', within: 1 });
    expect((await me().patch(`${tests}/${id}`).send({})).status).toBe(200);
    const { body } = await me().get(tests);
    expect(body.data).toEqual([changed.body.data]);
    expect(body.meta).toMatchObject({ total: 1, current_page: 1, per_page: 15 });
    expect((await me().delete(`${tests}/${id}`)).body).toEqual({ message: 'Knowledge test deleted successfully.' });
    expect((await me().get(`${tests}/${id}`)).status).toBe(404);
  });

  it('is recorded in the audit log', async () => {
    const { id } = (await create({ question: QUESTION, expected_text: 'x' })).body.data as { id: number };
    await me().put(`${tests}/${id}`).send({ is_active: false });
    await me().delete(`${tests}/${id}`);
    const { body } = await me().get(`/api/v1/audit-events?subject=knowledge_test:${id}`);
    const actions = (body.data as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(['knowledge_test.deleted', 'knowledge_test.updated', 'knowledge_test.created']);
  });

  it('is created once for an Idempotency-Key', async () => {
    const body = { question: QUESTION, expected_text: 'x' };
    const send = (sent: object) => me().post(tests).set('Idempotency-Key', 'once').send(sent);
    const [first, second] = await Promise.all([send(body), send(body)]);
    expect(second.body.data).toEqual(first.body.data);
    expect([first, second].filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(1);
    expect((await send({ ...body, within: 5 })).status).toBe(409);
    expect((await me().get(tests)).body.meta.total).toBe(1);
  });

  it.each<[string, object, string]>([
    ['no question', { expected_text: 'x' }, 'question'],
    ['a blank question', { question: ' ', expected_text: 'x' }, 'question'],
    ['both fields of questions', { question: 'a', questions: ['b'], expected_text: 'x' }, 'questions'],
    ['no questions', { questions: [], expected_text: 'x' }, 'questions'],
    ['four questions', { questions: ['a', 'b', 'c', 'd'], expected_text: 'x' }, 'questions'],
    ['an empty question', { questions: ['a', ''], expected_text: 'x' }, 'questions.1'],
    ['a long question', { question: 'x'.repeat(1_001), expected_text: 'x' }, 'question'],
    ['no expectation', { question: 'a' }, 'expected_text'],
    ['an expected text of punctuation', { question: 'a', expected_text: '?!' }, 'expected_text'],
    [
      'an unknown knowledge base',
      { question: 'a', expected_knowledge_base_id: 2_000_000_000 },
      'expected_knowledge_base_id',
    ],
    ['no place', { question: 'a', expected_text: 'x', within: 0 }, 'within'],
    ['too many places', { question: 'a', expected_text: 'x', within: 21 }, 'within'],
    ['another active', { question: 'a', expected_text: 'x', is_active: 'maybe' }, 'is_active'],
  ])('is rejected with %s', async (_, body, field) => {
    const { status, body: answer } = await create(body);
    expect([status, Object.keys((answer as { errors: object }).errors)]).toEqual([422, [field]]);
  });

  it('keeps at least one expectation', async () => {
    const { id } = (await create({ question: QUESTION, expected_text: 'x' })).body.data as { id: number };
    const { status, body } = await me().put(`${tests}/${id}`).send({ expected_text: null });
    expect([status, Object.keys(body.errors as object)]).toEqual([422, ['expected_text']]);
  });

  it('is one of 200 of the agent at most', async () => {
    await api.pool.query(
      `INSERT INTO knowledge_tests (account_id, agent_id, questions, expected_text)
       SELECT $1, $2, ARRAY['a'], 'x' FROM generate_series(1, 199)`,
      [own.accountId, own.agentId],
    );
    const both = await Promise.all([1, 2].map(() => create({ question: 'a', expected_text: 'x' })));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  it('has a path that no knowledge base has', async () => {
    expect((await me().get(`${bases}/tests`)).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await me().post(`${tests}/run`)).body).toEqual({
      data: [],
      meta: { passed: 0, failed: 0, passed_by_words: null },
    });
    expect((await me().get(`${tests}/run`)).status).toBe(404);
    expect((await me().get(`/api/v1/agents/2000000000/knowledge-bases/tests`)).status).toBe(404);
    expect((await me().post(`/api/v1/agents/2000000000/knowledge-bases/tests/run`)).status).toBe(404);
  });
});

describe('a run of the tests', () => {
  it('returns ranks and passages, stores the results, and leaves inactive tests out', async () => {
    const terms = await aText('Terms', '# Returns\n\nGoods can be returned within 30 days.');
    await aText('Shipping', '# Shipping\n\nParcels arrive within 5 days.');
    const passing = await create({
      questions: [QUESTION, 'return of goods'],
      expected_knowledge_base_id: terms,
      within: 1,
    });
    const failing = await create({ question: QUESTION, expected_text: 'within 90 days' });
    await create({ question: QUESTION, expected_text: 'within 90 days', is_active: false });
    const { status, body } = await me().post(`${tests}/run`);
    expect(status).toBe(200);
    const [first] = (await me().post(`${bases}/search`).send({ query: QUESTION })).body.data as { chunk_id: string }[];
    const search = { rank: 1, chunk_ids: expect.arrayContaining([first!.chunk_id]) };
    expect(body).toEqual({
      data: [
        {
          id: passing.body.data.id,
          result: 'passed',
          rank: 1,
          reason: null,
          searches: [
            { question: QUESTION, ...search },
            { question: 'return of goods', ...search },
          ],
        },
        {
          id: failing.body.data.id,
          result: 'failed',
          rank: null,
          reason: expect.stringMatching(/^The expected text is not among the first \d passages\.$/),
          searches: [{ question: QUESTION, ...search, rank: null }],
        },
      ],
      meta: { passed: 1, failed: 1, passed_by_words: null },
    });
    const listed = async (result: string) =>
      ((await me().get(`${tests}?result=${result}`)).body.data as { id: number }[]).map(({ id }) => id);
    expect(await listed('passed')).toEqual([passing.body.data.id]);
    expect(await listed('failed')).toEqual([failing.body.data.id]);
    expect(await listed('pending')).toHaveLength(1);
    expect((await me().get(`${tests}?result=x`)).status).toBe(422);
  });

  it('says since when a test fails, and forgets the result of another question', async () => {
    const terms = await aText('Terms', 'Goods can be returned within 30 days.');
    const { id } = (await create({ question: QUESTION, expected_text: '30 days' })).body.data as { id: number };
    const run = async () => {
      await me().post(`${tests}/run`);
      return (await me().get(`${tests}/${id}`)).body.data as Record<string, unknown>;
    };
    expect(await run()).toMatchObject({ result: 'passed', failing_since: null, checked_at: expect.any(String) });
    await me().put(`${bases}/${terms}`).send({ content: 'Goods can be returned within 60 days.' });
    const failed = await run();
    expect(failed).toMatchObject({ result: 'failed', failing_since: expect.any(String) });
    expect(await run()).toMatchObject({ failing_since: failed.failing_since });
    await me().put(`${bases}/${terms}`).send({ content: 'Goods can be returned within 30 days.' });
    expect(await run()).toMatchObject({ result: 'passed', failing_since: null, reason: null });
    const changed = await me().put(`${tests}/${id}`).send({ question: 'Can I return goods?' });
    expect(changed.body.data).toMatchObject({ result: 'pending', checked_at: null });
    const { rows } = await api.pool.query<{ details: object }>(
      `SELECT details FROM audit_events WHERE action = 'knowledge_tests.failed' AND account_id = $1`,
      [own.accountId],
    );
    expect(rows.map(({ details }) => details)).toEqual([{ agent_id: own.agentId, tests: 1, test_ids: [id] }]);
  });

  it('is one at a time for an account', async () => {
    await aText('Terms', 'Goods can be returned within 30 days.');
    await create({ question: QUESTION, expected_text: '30 days' });
    const statuses = (await Promise.all([1, 2, 3].map(() => me().post(`${tests}/run`)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 429, 429]);
  });
});

describe('a held refresh', () => {
  /** A served generation and a newer one, which is held. */
  async function heldBase(): Promise<number> {
    const id = await aKnowledgeBase(api.pool, own);
    await serve(api.pool, await aGeneration(api.pool, own, id, chunksOf(['within 30 days'])));
    await aGeneration(api.pool, own, id, chunksOf(['ask our staff']));
    await api.pool.query(
      `UPDATE knowledge_bases SET held_generation = generation, held_reason = 'Lost.', held_facts = $2 WHERE id = $1`,
      [id, { words: 3, characters: 13, etag: '"2"', contentHash: 'abcd' }],
    );
    return id;
  }
  const released = (id: number) => me().post(`${bases}/${id}/release`);
  const row = async (id: number) => (await api.pool.query('SELECT * FROM knowledge_bases WHERE id = $1', [id])).rows[0];

  it('brings its measures and validators when it is released', async () => {
    const id = await heldBase();
    const { body } = await released(id);
    expect(body.data).toMatchObject({ refresh: null, word_count: 3, character_count: 13, chunk_count: 1 });
    expect(await row(id)).toMatchObject({ etag: '"2"', content_hash: Buffer.from('abcd', 'hex'), held_facts: null });
  });

  it('is not released if the agent would have too many passages', async () => {
    const id = await heldBase();
    const full = await aKnowledgeBase(api.pool, own);
    await api.pool.query('UPDATE knowledge_bases SET chunk_count = 500000 WHERE id = $1', [full]);
    const { status, body } = await released(id);
    expect([status, body.message]).toEqual([409, expect.stringContaining('500,000 passages')]);
    expect((await me().get(`${bases}/${id}`)).body.data).toMatchObject({ refresh: 'held', held_reason: 'Lost.' });
  });

  it.each([
    ['served a later generation', 'UPDATE knowledge_bases SET generation = 3, serving = 3 WHERE id = $1'],
    ['deleted its passages', 'DELETE FROM knowledge_chunks WHERE knowledge_base_id = $1 AND generation = 2'],
  ])('cannot be released after a worker of the previous release has %s', async (_, statement) => {
    const id = await heldBase();
    await api.pool.query(statement, [id]);
    expect((await released(id)).status).toBe(409);
    expect(await row(id)).not.toMatchObject({ serving: 2 });
  });

  it('is kept when a worker dies or fails with the next one', async () => {
    const id = await heldBase();
    await api.pool.query(
      `UPDATE knowledge_bases SET status = 'processing', generation = 3, lease_owner = 'dead', lease_until = now() - interval '1 s'
        WHERE id = $1`,
      [id],
    );
    const claims = new DocumentClaimsRepository(databaseOver(api.pool));
    const reaped = await claims.reap({ code: 'ATTEMPTS_EXHAUSTED', processingError: 'x' });
    expect(reaped.map(({ knowledge_base_id }) => knowledge_base_id)).toContain(id);
    expect((await released(id)).body.data).toMatchObject({ refresh: null, chunk_count: 1 });
  });

  it('is not released by another account or agent, nor at an unknown knowledge base', async () => {
    const id = await heldBase();
    const other = await aWorkspace(api.pool);
    for (const action of ['release', 'discard']) {
      const path = `/api/v1/agents/${other.agentId}/knowledge-bases/${id}/${action}`;
      expect((await api.as(other.token).post(path)).status).toBe(404);
      expect((await me().post(`${bases}/2000000000/${action}`)).status).toBe(404);
    }
    expect((await me().get(`${bases}/${id}`)).body.data).toMatchObject({ refresh: 'held' });
  });
});

describe('a worker', () => {
  let due: DueTestsService;
  beforeAll(() => {
    due = api.app.select(KnowledgeTestsModule).get(DueTestsService);
    due.start();
  });
  afterAll(() => due.stop());

  const resultOf = (id: number, result: string) =>
    eventually(
      async () => (await me().get(`${tests}/${id}`)).body.data as Record<string, unknown>,
      (test) => test.result === result,
    );

  it('runs the tests after each kind of change', async () => {
    const { id } = (await create({ question: QUESTION, expected_text: '30 days' })).body.data as { id: number };
    expect(await resultOf(id, 'failed')).toMatchObject({ reason: 'The search returns no passage.' });
    const terms = await aText('Terms', 'Goods can be returned within 30 days.');
    await resultOf(id, 'passed');
    await me().put(`${bases}/${terms}`).send({ is_active: false });
    await resultOf(id, 'failed');
    await me().put(`${bases}/${terms}`).send({ is_active: true });
    await resultOf(id, 'passed');
    await me().delete(`${bases}/${terms}`);
    await resultOf(id, 'failed');
    await me().put(`${tests}/${id}`).send({ expected_text: null, expected_source: 'Terms' });
    await resultOf(id, 'failed');
  });
});
