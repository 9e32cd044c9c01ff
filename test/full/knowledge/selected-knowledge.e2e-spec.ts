import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentKnowledgeRequests, knowledgePathOf } from '../../support/agent-knowledge-requests.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';
import { statementsOf } from '../../support/statements-of.js';

let api: InProcessApi;
let own: Workspace;
let foreign: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
  foreign = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const { agents, as, made, put, search, found } = agentKnowledgeRequests(() => ({ api, own }));

describe('a search in some of the knowledge bases', () => {
  it('finds as much in one of them as if there were no others', async () => {
    const [agent, owner] = (await agents(2)) as [number, number];
    const large = Array.from({ length: 60 }, (_, n) => `# Part ${n}\n\n${`The wombat number ${n} digs. `.repeat(60)}`);
    const much = await made(agent, { content: large.join('\n\n') });
    const small = await made(owner, { content: 'A wombat sleeps somewhere in this text.', agent_ids: [agent] });
    expect(new Set(await found(agent))).toEqual(new Set([much.id]));
    expect(await found(agent, { knowledge_base_ids: [small.id] })).toEqual([small.id]);
    expect(await found(agent, { knowledge_base_ids: [] })).toEqual([]);
    expect(await found(agent, { knowledge_base_ids: null })).toHaveLength(20);
    expect(await found(agent, { knowledge_base_ids: [small.id, much.id, small.id] })).toHaveLength(20);
  });

  it('is refused for knowledge bases that the agent does not have or that are inactive', async () => {
    const [agent, other] = (await agents(2)) as [number, number];
    const [active, inactive, others] = [await made(agent), await made(agent), await made(other)];
    await put(agent, inactive.id, { is_active: false });
    const knowledge_base_ids = [active.id, inactive.id, others.id, 2_000_000_000];
    const { status, body } = await search(agent, { knowledge_base_ids });
    expect([status, body.errors]).toEqual([
      422,
      {
        'knowledge_base_ids.1': ['The selected knowledge base id is not active.'],
        'knowledge_base_ids.2': ['The selected knowledge base id is invalid.'],
        'knowledge_base_ids.3': ['The selected knowledge base id is invalid.'],
      },
    ]);
    expect((await search(agent, { knowledge_base_ids: 'x' })).body.errors).toEqual({
      knowledge_base_ids: ['The knowledge base ids field must be an array.'],
    });
  });
});

describe('a call with some of the knowledge bases of its agent', () => {
  const SIP = 'sip:answer@127.0.0.1:5070';
  const call = (body: object) =>
    as()
      .post('/api/v1/calls')
      .send({ to_number: SIP, agent_id: own.agentId, number_id: own.numberId, ...body });

  it.each([
    ['all of them', undefined, null],
    ['all of them by null', null, null],
    ['none of them', [], []],
  ])('stores and returns %s', async (_, knowledge_base_ids, stored) => {
    const created = await call({ knowledge_base_ids });
    expect(created.status).toBe(201);
    const { body } = await as().get(`/api/v1/calls/${created.body.data.call_id}`);
    expect(body.data.knowledge_base_ids).toEqual(stored);
  });

  it('stores and returns own and shared ones for each destination', async () => {
    const [other] = (await agents(1)) as [number];
    const ids = [(await made(own.agentId)).id, (await made(other, { agent_ids: [own.agentId] })).id];
    const created = await call({ to_number: [SIP, SIP], knowledge_base_ids: ids });
    expect([created.status, created.body.errors]).toEqual([201, undefined]);
    for (const { call_id } of created.body.data as { call_id: string }[]) {
      expect((await as().get(`/api/v1/calls/${call_id}`)).body.data.knowledge_base_ids).toEqual(ids);
    }
    const { body } = await as().get('/api/v1/calls?per_page=1');
    expect(body.data).toMatchObject([{ knowledge_base_ids: ids }]);
  });

  it('is refused for knowledge bases that the agent does not have or that are inactive', async () => {
    const [other] = (await agents(1)) as [number];
    const [active, inactive, others] = [await made(own.agentId), await made(own.agentId), await made(other)];
    await put(own.agentId, inactive.id, { is_active: false });
    const refused = await call({ knowledge_base_ids: [active.id, inactive.id, others.id] });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      {
        'knowledge_base_ids.1': ['The selected knowledge base id is not active.'],
        'knowledge_base_ids.2': ['The selected knowledge base id is invalid.'],
      },
    ]);
    const foreigner = await api
      .as(foreign.token)
      .post('/api/v1/calls')
      .send({
        to_number: SIP,
        agent_id: foreign.agentId,
        number_id: foreign.numberId,
        knowledge_base_ids: [active.id],
      });
    expect(foreigner.body.errors).toEqual({
      'knowledge_base_ids.0': ['The selected knowledge base id is invalid.'],
    });
    expect((await call({ knowledge_base_ids: [1.5] })).body.errors).toEqual({
      'knowledge_base_ids.0': ['The knowledge_base_ids.0 field must be an integer.'],
    });
  });
});

describe('a simulation with some of the knowledge bases of its agent', () => {
  const simulated = async (agentId: number, body: object) =>
    as()
      .post(`/api/v1/agents/${agentId}/simulations`)
      .send({ steps: [{ says: 'What about the wombat?' }], ...body });

  it('searches only in them, and has no search tool without any', async () => {
    const [agent, other] = (await agents(2)) as [number, number];
    const first = await made(agent);
    const second = await made(other, { content: 'The other wombat.', agent_ids: [agent] });
    const resultsOf = async (knowledge_base_ids?: number[]) => {
      const { status, body } = await simulated(agent, { knowledge_base_ids });
      expect(status).toBe(200);
      const searches = body.data.knowledge_searches as { results: { knowledge_base_id: number }[] }[];
      return searches.map(({ results }) => results.map((one) => one.knowledge_base_id).toSorted((a, b) => a - b));
    };
    expect(await resultsOf()).toEqual([[first.id, second.id]]);
    expect(await resultsOf([second.id])).toEqual([[second.id]]);
    expect(await resultsOf([])).toEqual([]);
  });

  it('is refused for knowledge bases that the agent does not have', async () => {
    const [agent, other] = (await agents(2)) as [number, number];
    const { id } = await made(other);
    const { status, body } = await simulated(agent, { knowledge_base_ids: [id] });
    expect([status, body.errors]).toEqual([
      422,
      { 'knowledge_base_ids.0': ['The selected knowledge base id is invalid.'] },
    ]);
  });
});

describe('thousands of knowledge bases', () => {
  it('are never read as a whole: every statement of lists, searches, calls and changes uses an index', async () => {
    const readers = await agents(40);
    const [reader] = readers as [number];
    await api.pool.query(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status, generation, serving, content)
       SELECT $1, agent, 'Title ' || n, 'text', 'completed', 1, 1, repeat('x', 1500) FROM unnest($2::integer[]) agent, generate_series(1, 200) n`,
      [own.accountId, readers],
    );
    await api.pool.query(
      `INSERT INTO knowledge_pages (account_id, knowledge_base_id, generation, url, url_hash, depth)
       SELECT account_id, id, 1, 'https://example.com/' || n, sha256(n::text::bytea), 0 FROM knowledge_bases, generate_series(1, 5) n`,
    );
    const { id } = await made(own.agentId, { agent_ids: [reader] });
    const mine = await made(reader);
    await api.pool.query('ANALYZE');
    const requests = async (): Promise<number[]> => {
      const answers = [
        await as().get(`${knowledgePathOf(reader)}?per_page=20`),
        await as().get(`${knowledgePathOf(reader)}/${id}`),
        await search(reader, { knowledge_base_ids: [id] }),
        await search(reader, {}),
        await put(reader, mine.id, { content: 'The koala sleeps.' }),
        await put(reader, mine.id, { agent_ids: [own.agentId] }),
        await put(reader, mine.id, { is_active: false }),
        await as()
          .post('/api/v1/calls')
          .send({
            to_number: 'sip:answer@127.0.0.1:5070',
            agent_id: reader,
            number_id: own.numberId,
            knowledge_base_ids: [id],
          }),
        await as()
          .post(`/api/v1/agents/${reader}/simulations`)
          .send({ knowledge_base_ids: [id], steps: [{ says: 'wombat' }] }),
      ];
      return answers.map(({ status }) => status);
    };
    const sent = await statementsOf(api.pool, async () =>
      expect(await requests()).toEqual([200, 200, 200, 200, 200, 200, 200, 201, 200]),
    );
    const statements = sent.filter(({ text }) => /knowledge_(?:bases|base_agents|chunks)/.test(text));
    expect(statements.length).toBeGreaterThan(15);
    for (const { text, values } of statements) {
      const plan = await api.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(`${text}\n${lines}`).not.toMatch(/Seq Scan on knowledge_/);
    }
  });
});
