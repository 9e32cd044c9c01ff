import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentKnowledgeRequests, ANIMALS, knowledgePathOf } from '../support/agent-knowledge-requests.js';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const api = Service.get();
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  [own, foreign] = await Promise.all([api.account(), api.account()]);
});
afterAll(() => api.close());

const { agents, as, made, put, found } = agentKnowledgeRequests(() => ({ api, own }));

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

  it('loses an agent that is deleted', async () => {
    const [owner, reader] = (await agents(2)) as [number, number];
    const { id } = await made(owner, { agent_ids: [reader] });
    await as().delete(`/api/v1/agents/${reader}`).expect(200);
    expect((await as().get(`${knowledgePathOf(owner)}/${id}`)).body.data.agent_ids).toEqual([owner]);
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
});

describe('the agents of a knowledge base', () => {
  it.each([
    ['a number', 7, { agent_ids: ['The agent ids field must be an array.'] }],
    ['texts', ['7'], { 'agent_ids.0': ['The agent_ids.0 field must be an integer.'] }],
    ['objects', [{ id: 7 }], { 'agent_ids.0': ['The agent_ids.0 field must be an integer.'] }],
    ['zero', [0], { 'agent_ids.0': ['No agent 0 in this account.'] }],
    ['ids out of range', [3_000_000_000], { 'agent_ids.0': ['No agent 3000000000 in this account.'] }],
    ['unknown ids', [2_000_000_000], { 'agent_ids.0': ['No agent 2000000000 in this account.'] }],
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
    const errors = { 'agent_ids.1': [`No agent ${foreign.agentId} in this account.`] };
    const agent_ids = [reader, foreign.agentId];
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
