import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAgent, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const api = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await api.account();
});
afterAll(() => api.close());

const pathOf = (agentId: number) => `/api/v1/agents/${agentId}/knowledge-bases`;
const post = (body: object, where: string) => api.as(own.token).post(where).send(body);
const made = async (body: object, where: string) => {
  const answer = await post({ title: 'Animals', source_type: 'text', ...body }, where);
  expect(answer.status).toBe(201);
  return answer.body.data as Record<string, unknown> & { id: number };
};

describe('a search through the API', () => {
  const search = (query: unknown, limit?: unknown, where = pathOf(own.agentId)) =>
    post({ query, limit }, `${where}/search`);
  const texts = async (query: string, where: string) =>
    ((await search(query, 20, where)).body.data as { text: string }[]).map(({ text }) => text);

  it('finds a text as soon as it is created, with all data of a citation', async () => {
    const agent = await anAgent(api.pool, own.accountId);
    const where = pathOf(agent);
    expect((await search('wombat', 5, where)).body).toEqual({ data: [], meta: { embedder: null } });
    const content = '# Animals\n\n## Marsupials\n\nThe wombat digs burrows at night.';
    const { id } = await made({ title: 'Zoo', content }, where);
    const answer = await search('where does the wombat dig?', undefined, where);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual([
      {
        knowledge_base_id: id,
        title: 'Zoo',
        source_type: 'text',
        source: null,
        text: expect.stringContaining('The wombat digs burrows at night.'),
        score: expect.any(Number),
        matched: 'words',
        page: null,
        heading_path: ['Animals', 'Marsupials'],
        rows: null,
        matched_row: null,
        start: expect.any(Number),
        end: expect.any(Number),
        chunk_id: expect.stringMatching(/^\d+$/),
      },
    ]);
    const [{ start, end, score }] = answer.body.data;
    expect(content.slice(start, end)).toContain('The wombat digs');
    expect(score > 0 && score <= 1).toBe(true);
  });

  it('reflects every change at once: a new text, a deactivation, a deletion', async () => {
    const agent = await anAgent(api.pool, own.accountId);
    const where = pathOf(agent);
    const { id } = await made({ content: 'The wombat digs.' }, where);
    const change = (body: object) => api.as(own.token).put(`${where}/${id}`).send(body);
    expect(await texts('wombat', where)).toEqual(['The wombat digs.']);
    await change({ content: 'The quokka smiles.' });
    expect(await texts('wombat', where)).toEqual([]);
    expect(await texts('quokka', where)).toEqual(['The quokka smiles.']);
    await change({ is_active: false });
    expect(await texts('quokka', where)).toEqual([]);
    await change({ is_active: true });
    expect(await texts('quokka', where)).toEqual(['The quokka smiles.']);
    await api.as(own.token).delete(`${where}/${id}`);
    expect(await texts('quokka', where)).toEqual([]);
  });

  it('finds the last words of a text that was split in a child process', async () => {
    const agent = await anAgent(api.pool, own.accountId);
    const where = pathOf(agent);
    const content = `${'Kangaroos hop. '.repeat(8_000)}\n\nThe numbat eats termites.`;
    const data = await made({ content }, where);
    expect(data).toMatchObject({ status: 'completed', character_count: content.length });
    expect((await texts('numbat', where))[0]).toContain('The numbat eats termites.');
  });

  it('finds the passages of several wordings, of which one is in the language of the document', async () => {
    const where = pathOf(await anAgent(api.pool, own.accountId));
    await made({ title: 'Garage', content: 'Stellplätze kosten fünfzehn Euro.' }, where);
    await made({ title: 'Küche', content: 'Frühstück gibt es um sieben.' }, where);
    const asked = async (body: object) =>
      (await post(body, `${where}/search`)).body.data.map(({ title }: { title: string }) => title);
    expect(await asked({ query: 'Where can I leave my car?' })).toEqual([]);
    const queries = ['Where can I leave my car?', ' Was kosten Stellplätze? '];
    expect(await asked({ queries })).toEqual(['Garage']);
  });

  it('finds in selected knowledge bases as much as if there were no others', async () => {
    const [agent, owner] = [await anAgent(api.pool, own.accountId), await anAgent(api.pool, own.accountId)];
    const parts = Array.from({ length: 40 }, (_, n) => `# Part ${n}\n\n${`The wombat number ${n} digs. `.repeat(60)}`);
    const much = await made({ content: parts.join('\n\n') }, pathOf(agent));
    const small = await made({ content: 'A wombat sleeps in this text.', agent_ids: [agent] }, pathOf(owner));
    const asked = (knowledge_base_ids: unknown) =>
      post({ query: 'wombat', limit: 20, knowledge_base_ids }, `${pathOf(agent)}/search`);
    const found = async (ids: number[] | null) =>
      ((await asked(ids)).body.data as { knowledge_base_id: number }[]).map((one) => one.knowledge_base_id);
    expect(new Set(await found(null))).toEqual(new Set([much.id]));
    expect([await found([small.id]), await found([])]).toEqual([[small.id], []]);
    expect(await found([small.id, much.id, small.id])).toHaveLength(20);
    await api
      .as(own.token)
      .put(`${pathOf(agent)}/${much.id}`)
      .send({ is_active: false });
    const other = await made({ content: 'x' }, pathOf(owner));
    expect((await asked([small.id, much.id, other.id, 2_000_000_000])).body.errors).toEqual({
      'knowledge_base_ids.1': [`The knowledge base ${much.id} is not active.`],
      'knowledge_base_ids.2': [`This agent has no knowledge base ${other.id}.`],
      'knowledge_base_ids.3': ['This agent has no knowledge base 2000000000.'],
    });
    expect(Object.keys((await asked('x')).body.errors as object)).toEqual(['knowledge_base_ids']);
  });

  it.each([
    [{}, ['query']],
    [{ queries: null }, ['query']],
    [{ queries: [] }, ['queries']],
    [{ queries: 'wombat' }, ['queries']],
    [{ queries: ['a', 'b', 'c', 'd'] }, ['queries']],
    [{ queries: ['a', ' ', 7] }, ['queries.1', 'queries.2']],
    [{ queries: ['x'.repeat(1_001)] }, ['queries.0']],
    [{ query: 'a', queries: ['b', 'c', 'd'] }, ['queries']],
  ])('rejects %j with the errors on %j', async (body, fields) => {
    const answer = await post(body, `${pathOf(own.agentId)}/search`);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, fields]);
  });

  it.each([
    ['', 5, 'query'],
    [' ', 5, 'query'],
    [1, 5, 'query'],
    ['x'.repeat(1_001), 5, 'query'],
    ['x', 0, 'limit'],
    ['x', 21, 'limit'],
    ['x', 'five', 'limit'],
  ])('rejects the query %j with the limit %j', async (query, limit, key) => {
    const answer = await search(query, limit);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [key]]);
  });
});
