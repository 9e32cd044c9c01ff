import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@app/database';
import { KnowledgeChunksRepository, VectorBackfillRepository } from '@app/knowledge';
import { agentKnowledgeRequests, ANIMALS, knowledgePathOf } from '../../support/agent-knowledge-requests.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  foreign = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const { agents, as, made, put, found } = agentKnowledgeRequests(() => ({ api, own }));

async function versions(agentIds: number[]): Promise<number[]> {
  const text = `SELECT a.knowledge_version::integer AS v FROM unnest($1::integer[]) WITH ORDINALITY AS wanted (id, place)
    JOIN agents a ON a.id = wanted.id ORDER BY place`;
  return (await api.pool.query<{ v: number }>(text, [agentIds])).rows.map(({ v }) => v);
}

describe('a knowledge base that several agents share', () => {
  it('is found, listed and returned by each of them, and by no other agent', async () => {
    const [owner, reader, stranger] = (await agents(3)) as [number, number, number];
    const shared = await made(owner, { agent_ids: [reader, owner, reader] });
    expect(shared).toMatchObject({ agent_id: owner, agent_ids: [owner, reader] });
    const private_ = await made(owner, { title: 'Private', content: 'Another wombat.' });
    const readers = await made(reader, { title: "The reader's", content: 'A third wombat.' });
    expect(await found(owner)).toEqual([shared.id, private_.id]);
    expect(await found(reader)).toEqual([shared.id, readers.id]);
    expect(await found(stranger)).toEqual([]);
    const listed = await as().get(`${knowledgePathOf(reader)}?per_page=10`);
    expect(listed.body.meta.total).toBe(2);
    expect(listed.body.data).toMatchObject([
      { id: readers.id, agent_id: reader, agent_ids: [reader] },
      { id: shared.id, agent_id: owner, agent_ids: [owner, reader] },
    ]);
    expect((await as().get(`${knowledgePathOf(reader)}?search=anim`)).body.data).toMatchObject([{ id: shared.id }]);
    expect((await as().get(`${knowledgePathOf(reader)}/${shared.id}`)).body).toEqual({ data: shared });
    expect((await as().get(`${knowledgePathOf(stranger)}/${shared.id}`)).status).toBe(404);
    expect((await as().get(`${knowledgePathOf(reader)}/${private_.id}`)).status).toBe(404);
  });

  it('is stored once, and each of its agents sees a change at once', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    const count = 'SELECT count(*)::integer AS n FROM knowledge_chunks WHERE knowledge_base_id = $1';
    expect((await api.pool.query(count, [id])).rows).toEqual([{ n: 1 }]);
    expect(await found(reader)).toEqual([id]);
    expect((await put(owner, id, { content: 'The koala sleeps.' })).status).toBe(200);
    expect([await found(reader), await found(reader, { query: 'koala' })]).toEqual([[], [id]]);
    expect((await put(owner, id, { is_active: false })).status).toBe(200);
    expect(await found(reader, { query: 'koala' })).toEqual([]);
  });

  it.each([
    ['changed', (agentId: number, id: number) => put(agentId, id, { title: 'Mine' })],
    ['shared further', (agentId: number, id: number) => put(agentId, id, { agent_ids: [agentId] })],
    ['deleted', (agentId: number, id: number) => as().delete(`${knowledgePathOf(agentId)}/${id}`)],
    ['reprocessed', (agentId: number, id: number) => as().post(`${knowledgePathOf(agentId)}/${id}/reprocess`)],
  ])('cannot be %s with the path of an agent that does not own it', async (_, request) => {
    const [owner, reader, stranger] = (await agents(3)) as [number, number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    const refused = await request(reader, id);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `Agent ${owner} owns the knowledge base. Change or delete it with the path of that agent.`,
    ]);
    expect((await request(stranger, id)).status).toBe(404);
    expect((await as().get(`${knowledgePathOf(owner)}/${id}`)).body.data).toMatchObject({ id, title: 'Animals' });
    expect((await request(owner, id)).status).toBe(200);
  });

  it('has new agents after an update, of which the former ones find it no longer', async () => {
    const [owner, first, second] = (await agents(3)) as [number, number, number];
    const { id } = await made(owner, { agent_ids: [first] });
    expect(await found(first)).toEqual([id]);
    const changed = await put(owner, id, { agent_ids: [second] });
    expect([changed.status, changed.body.data.agent_ids]).toEqual([200, [owner, second]]);
    expect([await found(first), await found(second)]).toEqual([[], [id]]);
    // null and an absent field keep them.
    expect((await put(owner, id, { agent_ids: null, title: 'New' })).body.data.agent_ids).toEqual([owner, second]);
    expect((await put(owner, id, { agent_ids: [] })).body.data.agent_ids).toEqual([owner]);
    expect([await found(owner), await found(second)]).toEqual([[id], []]);
  });

  it('raises the version of every agent with each change, and of no other one', async () => {
    const all = (await agents(4)) as [number, number, number, number];
    const [owner, reader, later, stranger] = all;
    let before = await versions(all);
    const { id } = await made(owner, { agent_ids: [reader] });
    const raised = async (): Promise<boolean[]> => {
      const now = await versions(all);
      const which = now.map((version, at) => version > before[at]!);
      before = now;
      return which;
    };
    expect(await raised()).toEqual([true, true, false, false]);
    await put(owner, id, { content: 'The koala sleeps.' });
    expect(await raised()).toEqual([true, true, false, false]);
    await put(owner, id, { title: 'Koalas' });
    expect(await raised()).toEqual([true, true, false, false]);
    await put(owner, id, { agent_ids: [later] });
    expect(await raised()).toEqual([true, true, true, false]);
    await as().post(`${knowledgePathOf(owner)}/${id}/reprocess`);
    expect(await raised()).toEqual([true, false, true, false]);
    await as().delete(`${knowledgePathOf(owner)}/${id}`);
    expect(await raised()).toEqual([true, false, true, false]);
    expect(await found(stranger)).toEqual([]);
  });

  it('raises the versions of its agents when its vectors are complete', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    const database = api.app.get(Database);
    const backfills = new VectorBackfillRepository(database, new KnowledgeChunksRepository(database));
    const text = 'SELECT id, account_id, agent_id, serving, chunk_count FROM knowledge_bases WHERE id = $1';
    const [work] = (await api.pool.query(text, [id])).rows;
    await api.pool.query(`UPDATE knowledge_bases SET vectors_owner = 'one', vectors_model = 'm' WHERE id = $1`, [id]);
    await backfills.showProgress(work, 'one', 50);
    const before = await versions([owner, reader]);
    await backfills.finish(work, 'one', 'm');
    expect(await versions([owner, reader])).toEqual(before.map((version) => version + 1));
  });

  it('is changed together with others of the same agents without a deadlock', async () => {
    const [first, second, third] = (await agents(3)) as [number, number, number];
    const orders = [
      [first, [second, third]],
      [second, [third, first]],
      [third, [first, second]],
    ] as const;
    const bases = await Promise.all(
      orders.map(async ([owner, others]) => ({ owner, others, id: (await made(owner, { agent_ids: others })).id })),
    );
    const before = await versions([first, second, third]);
    const changes = Array.from({ length: 10 }, (_, round) =>
      bases.map(({ owner, others, id }) =>
        put(owner, id, round % 2 === 0 ? { content: `Wombat ${round}.` } : { agent_ids: others }),
      ),
    ).flat();
    expect(new Set((await Promise.all(changes)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(await versions([first, second, third])).toEqual(before.map((version) => version + 30));
  });

  it('loses an agent that is deleted', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    await api.pool.query('DELETE FROM agents WHERE id = $1', [reader]);
    expect((await as().get(`${knowledgePathOf(owner)}/${id}`)).body.data.agent_ids).toEqual([owner]);
    await expect(api.pool.query('DELETE FROM agents WHERE id = $1', [owner])).rejects.toThrow('foreign key');
  });

  it('is uploaded with a form, whose field agent_ids is repeated', async () => {
    const [owner, one, two] = (await agents(3)) as [number, number, number];
    const upload = (fields: [string, string | number][]) => {
      const request = as().post(knowledgePathOf(owner)).field({ title: 'Prices', source_type: 'file' });
      for (const [name, value] of fields) void request.field(name, value);
      return request.attach('file', Buffer.from('The wombat.'), 'a.txt');
    };
    const idsOf = async (fields: [string, string | number][]) => {
      const { status, body } = await upload(fields);
      return [status, body.data?.agent_ids ?? body.errors];
    };
    expect(await idsOf([['agent_ids', one]])).toEqual([201, [owner, one]]);
    expect(
      await idsOf([
        ['agent_ids', one],
        ['agent_ids', two],
      ]),
    ).toEqual([201, [owner, one, two]]);
    expect(
      await idsOf([
        ['agent_ids[]', two],
        ['agent_ids[]', one],
      ]),
    ).toEqual([201, [owner, one, two]]);
    expect(await idsOf([['agent_ids', '']])).toEqual([201, [owner]]);
    expect(await idsOf([['agent_ids', 'x']])).toEqual([
      422,
      { 'agent_ids.0': ['The agent_ids.0 field must be an integer.'] },
    ]);
    const most = Array.from({ length: 101 }, (): [string, number] => ['agent_ids', one]);
    expect(await idsOf(most)).toEqual([422, { agent_ids: ['The agent ids field must not have more than 100 items.'] }]);
  });

  it('repeats its agents in the response to a repeated request', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const send = (agent_ids: number[]) =>
      as()
        .post(knowledgePathOf(owner))
        .set('Idempotency-Key', 'shared-1')
        .send({ ...ANIMALS, agent_ids });
    const first = await send([reader]);
    expect((await send([reader])).body).toEqual(first.body);
    expect((await send([])).status).toBe(409);
  });
});

describe('the agents of a knowledge base', () => {
  it.each([
    ['a number', 7, { agent_ids: ['The agent ids field must be an array.'] }],
    ['texts', ['7'], { 'agent_ids.0': ['The agent_ids.0 field must be an integer.'] }],
    ['objects', [{ id: 7 }], { 'agent_ids.0': ['The agent_ids.0 field must be an integer.'] }],
    ['zero', [0], { 'agent_ids.0': ['The selected agent id is invalid.'] }],
    ['ids out of range', [3_000_000_000], { 'agent_ids.0': ['The selected agent id is invalid.'] }],
    ['unknown ids', [2_000_000_000], { 'agent_ids.0': ['The selected agent id is invalid.'] }],
    [
      '101 ids',
      Array.from({ length: 101 }, () => 1),
      { agent_ids: ['The agent ids field must not have more than 100 items.'] },
    ],
  ])('cannot be %s', async (_, agent_ids, errors) => {
    const created = await as()
      .post(knowledgePathOf(own.agentId))
      .send({ ...ANIMALS, agent_ids });
    expect([created.status, created.body.errors]).toEqual([422, errors]);
    const { id } = await made(own.agentId);
    const changed = await put(own.agentId, id, { agent_ids });
    expect([changed.status, changed.body.errors]).toEqual([422, errors]);
  });

  it('cannot be those of another account, which finds nothing of it', async () => {
    const [reader] = (await agents(1)) as [number];
    const errors = { 'agent_ids.1': ['The selected agent id is invalid.'] };
    const agent_ids = [reader, foreign.agentId];
    const before = await versions([own.agentId, reader, foreign.agentId]);
    for (const body of [ANIMALS, { title: 'x', source_type: 'url', source_reference: 'https://example.com' }]) {
      const refused = await as()
        .post(knowledgePathOf(own.agentId))
        .send({ ...body, agent_ids });
      expect([refused.status, refused.body.errors]).toEqual([422, errors]);
    }
    const { id } = await made(own.agentId);
    const changed = await put(own.agentId, id, { title: 'Changed', agent_ids });
    expect([changed.status, changed.body.errors]).toEqual([422, errors]);
    const { body } = await as().get(`${knowledgePathOf(own.agentId)}/${id}`);
    expect(body.data).toMatchObject({ title: 'Animals', agent_ids: [own.agentId] });
    expect((await versions([own.agentId, reader, foreign.agentId])).slice(1)).toEqual(before.slice(1));
    const theirs = await api
      .as(foreign.token)
      .post(`${knowledgePathOf(foreign.agentId)}/search`)
      .send({ query: 'wombat' });
    expect(theirs.body.data).toEqual([]);
    const stolen = await api
      .as(foreign.token)
      .put(`${knowledgePathOf(foreign.agentId)}/${id}`)
      .send({ agent_ids: [] });
    expect(stolen.status).toBe(404);
  });

  it('have room for it: the numbers of knowledge bases and passages count shared ones', async () => {
    const [owner, full, large] = (await agents(3)) as [number, number, number];
    await api.pool.query(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status)
       SELECT $1, $2, 'x', 'text', 'completed' FROM generate_series(1, 1000)`,
      [own.accountId, full],
    );
    const { id: big } = await made(large);
    await api.pool.query('UPDATE knowledge_bases SET chunk_count = 500000 WHERE id = $1', [big]);
    const maximum = ['The agent has 1,000 knowledge bases, which is the maximum.'];
    const created = await as()
      .post(knowledgePathOf(owner))
      .send({ ...ANIMALS, agent_ids: [large, full] });
    expect([created.status, created.body.errors]).toEqual([422, { 'agent_ids.1': maximum }]);
    const { id } = await made(owner);
    const changed = await put(owner, id, { agent_ids: [full, large] });
    expect([changed.status, changed.body.errors]).toEqual([
      422,
      {
        'agent_ids.0': maximum,
        'agent_ids.1': ['The knowledge bases of the agent would have more than 500,000 passages in total.'],
      },
    ]);
    const text = await as()
      .post(knowledgePathOf(owner))
      .send({ ...ANIMALS, agent_ids: [large] });
    expect([text.status, text.body.errors]).toMatchObject([422, { content: [expect.stringContaining('500,000')] }]);
  });
});
