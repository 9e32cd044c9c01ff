import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { aToken, anAgent, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { aTool, anAction, errorsOf, type MadeTool, withAction } from '../support/tools-environment.js';

const service = Service.get();
let own: Workspace;
let other: Workspace;
let path: string;

beforeAll(async () => {
  [own, other] = await Promise.all([service.account(), service.account()]);
  path = `/api/v1/agents/${own.agentId}/tools`;
});
afterAll(() => service.close());

const post = (body: object, where = path) => service.as(own.token).post(where).send(body);
const put = (id: number, body: object) => service.as(own.token).put(`${path}/${id}`).send(body);
const get = (where: string) => service.as(own.token).get(where);
const made = async (body: object, where = path): Promise<MadeTool> => {
  const answer = await post(body, where);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data as MadeTool;
};
const another = async (): Promise<string> => `/api/v1/agents/${await anAgent(service.pool, own.accountId)}/tools`;

describe('a tool', () => {
  it('is created, read and listed with every field, in the order of the request', async () => {
    const where = await another();
    const parameters = {
      type: 'object',
      properties: { zeta: { type: 'string' }, a: { type: 'integer', minimum: 1 } },
      required: ['zeta'],
    };
    const full = anAction({
      url: 'https://example.com/{{args.zeta}}?a={{ args.a }}',
      method: 'PUT',
      payload: { zeta: '{{args.zeta}}', a: ['{{call.to_number}}', 1, null] },
      headers: { 'X-Team': 'desk {{agent.name}}', Authorization: 'Bearer abc' },
      query_params: { z: 1, a: ['x', true, null] },
      wait_response: false,
      timeout_seconds: 120,
    });
    const data = await made({ ...aTool({ parameters, webhook_actions: [full, anAction({ name: 'b' })] }) }, where);
    expect(data).toMatchObject({
      description: 'Looks something up.',
      is_active: true,
      parameters,
      mcp: null,
      webhook_actions: [
        { ...full, headers: { 'X-Team': 'desk {{agent.name}}', Authorization: '********' } },
        { name: 'b', method: 'POST', payload: null, headers: null, wait_response: true, timeout_seconds: 10 },
      ],
    });
    expect((await get(`${where}/${data.id}`)).body).toEqual({ data });
    const later = await made(aTool(), where);
    const list = (await get(`${where}?per_page=1&page=2`)).body;
    expect([list.data.length, list.meta.total]).toEqual([1, 2]);
    expect((await get(where)).body.data.map(({ id }: MadeTool) => id)).toEqual(
      expect.arrayContaining([data.id, later.id]),
    );
  });

  it('needs a name and a description only', async () => {
    const data = await made(aTool({ parameters: null, webhook_actions: null, is_active: '', unknown: 1 }));
    expect(data).toMatchObject({
      is_active: true,
      parameters: { type: 'object', properties: {} },
      webhook_actions: [],
    });
    const name = 'x'.repeat(64);
    expect(await made({ ...aTool(), name })).toMatchObject({ name });
  });

  it.each(['put', 'patch'] as const)('is changed by %s: absent fields and null keep their values', async (method) => {
    const before = await made(aTool({ parameters: { type: 'object' }, webhook_actions: [anAction()] }));
    const change = async (body: object) => {
      const answer = await service.as(own.token)[method](`${path}/${before.id}`).send(body);
      expect([answer.status, answer.body.message]).toEqual([200, 'Tool updated successfully.']);
      return answer.body.data as MadeTool;
    };
    expect(await change({ name: null, description: null, webhook_actions: null, id: 1 })).toEqual(before);
    const described = await change({ description: 'Other.' });
    expect(described).toEqual({ ...before, description: 'Other.', updated_at: expect.any(String) });
    expect(Date.parse(described['updated_at'] as string)).toBeGreaterThan(Date.parse(before['updated_at'] as string));
    expect(await change({ is_active: false })).toMatchObject({ is_active: false, description: 'Other.' });
    const parameters = { type: 'object', properties: { b: { type: 'string' }, a: true } };
    expect(await change({ parameters, name: `renamed_${method}` })).toMatchObject({ parameters, is_active: false });
    const blank = { ...anAction(), method: '', wait_response: '', timeout_seconds: '' };
    const [defaults] = (await change({ webhook_actions: [blank] })).webhook_actions;
    expect(defaults).toMatchObject({ method: 'POST', wait_response: true, timeout_seconds: 10 });
  });

  it('has its actions replaced as a whole, by one of two lists that arrive at once, and deleted by an empty list', async () => {
    const { id } = await made(withAction({ payload: { a: 1 } }));
    const names = async () =>
      ((await get(`${path}/${id}`)).body.data as MadeTool).webhook_actions.map((one) => one['name']);
    const lists = ['one', 'two'].map((name) => [anAction({ name }), anAction({ name: `${name}_more` })]);
    const answers = await Promise.all(lists.map((list) => put(id, { webhook_actions: list })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([
      ['one', 'one_more'],
      ['two', 'two_more'],
    ]).toContainEqual(await names());
    const replaced = await put(id, { webhook_actions: [anAction({ name: 'third' }), anAction()] });
    expect(replaced.body.data.webhook_actions).toMatchObject([
      { name: 'third', payload: null },
      { name: 'ask', payload: null },
    ]);
    expect((await put(id, { webhook_actions: [] })).body.data.webhook_actions).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: 'call_transfer' }, 'name'],
    [{ description: '' }, 'description'],
    [{ is_active: 1 }, 'is_active'],
    [{ parameters: { type: 'object', properties: { a: { type: 'text' } } } }, 'parameters.properties.a.type'],
    [{ webhook_actions: [{ name: 'x' }] }, 'webhook_actions.0.url'],
    [{ webhook_actions: [{ name: 'x', url: 'http://10.0.0.1/' }] }, 'webhook_actions.0.url'],
  ])('is not changed by %j', async (body, key) => {
    const before = await made(aTool());
    expect(Object.keys(errorsOf(await put(before.id, { description: 'x', ...body })))).toEqual([key]);
    expect((await get(`${path}/${before.id}`)).body.data).toEqual(before);
  });

  it('is deleted once, and gone from the list', async () => {
    const { id } = await made(aTool());
    const deleted = await service.as(own.token).delete(`${path}/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { message: 'Tool deleted successfully.' }]);
    expect((await service.as(own.token).delete(`${path}/${id}`)).status).toBe(404);
    expect((await get(path)).body.data.map((tool: MadeTool) => tool.id)).not.toContain(id);
  });

  it('has a name that is unique for its agent, also when two requests arrive at once', async () => {
    const where = await another();
    const tool = { ...aTool(), name: 'look_up' };
    const both = await Promise.all([post(tool, where), post(tool, where)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect(errorsOf(both.find(({ status }) => status === 422)!)).toEqual({
      name: 'The agent has another tool named look_up.',
    });
    await made(tool, await another());
    const { id } = await made(aTool(), where);
    const renamed = await service.as(own.token).put(`${where}/${id}`).send({ name: 'look_up' });
    expect(Object.keys(errorsOf(renamed))).toEqual(['name']);
  });

  it('is created once for an Idempotency-Key, also when two requests arrive at once', async () => {
    const tool = withAction({ headers: { Authorization: 'x', 'X-A': 'y' }, payload: { b: 1, a: 2 } });
    const send = (more: object = {}, where = path) =>
      post({ ...tool, ...more }, where).set('Idempotency-Key', `tool-${own.accountId}`);
    const [first, second] = await Promise.all([send(), send()]);
    const third = await send();
    for (const answer of [first, second, third])
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([201, JSON.stringify(first.body)]);
    expect(third.headers['idempotent-replayed']).toBe('true');
    expect((await send({ description: 'Other' })).status).toBe(409);
    expect((await send({}, await another())).status).toBe(409);
  });

  it('is the hundredth at most', async () => {
    const where = await another();
    await service.pool.query(
      `INSERT INTO tools (account_id, agent_id, name, description, parameters)
       SELECT $1, $2, 'n' || n, 'x', '{}' FROM generate_series(1, 99) n`,
      [own.accountId, Number(where.split('/')[4])],
    );
    const both = await Promise.all([post(aTool(), where), post(aTool(), where)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });

  it.each<[string, object, Record<string, string>]>([
    ['an empty body', {}, { name: 'is required', description: 'is required' }],
    ['a name with a capital', { ...aTool(), name: 'Book' }, { name: 'must be in snake_case' }],
    ['a name that starts with a digit', { ...aTool(), name: '1a' }, { name: 'must be in snake_case' }],
    ['a line break in the name', { ...aTool(), name: 'a\n' }, { name: 'must be in snake_case' }],
    ['a long name', { ...aTool(), name: 'x'.repeat(65) }, { name: 'must be in snake_case' }],
    ['a list as name', { ...aTool(), name: ['a'] }, { name: 'must be a string' }],
    ['a built-in name', { ...aTool(), name: 'end_call' }, { name: 'built-in' }],
    ['a blank description', aTool({ description: ' \n' }), { description: 'is required' }],
    ['a long description', aTool({ description: 'x'.repeat(4_001) }), { description: 'greater than 4000' }],
    ['is_active as text', aTool({ is_active: 'yes' }), { is_active: 'must be true or false' }],
    ['a list as schema', aTool({ parameters: [] }), { parameters: 'must be an object' }],
    ['a schema without a type', aTool({ parameters: {} }), { 'parameters.type': 'must be object' }],
    ['parameters that are not an object', aTool({ parameters: { type: 'string' } }), { 'parameters.type': 'object' }],
    [
      'an unknown type of a parameter',
      aTool({ parameters: { type: 'object', properties: { a: { type: 'number!' } } } }),
      { 'parameters.properties.a.type': '' },
    ],
    [
      'a pattern with look-around',
      aTool({ parameters: { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)' } } } }),
      { 'parameters.properties.a.pattern': '' },
    ],
    ['actions that are not a list', aTool({ webhook_actions: {} }), { webhook_actions: 'must be an array' }],
    ['a string as action', aTool({ webhook_actions: ['x'] }), { 'webhook_actions.0': 'must be an object' }],
    [
      'an empty action',
      aTool({ webhook_actions: [{}] }),
      { 'webhook_actions.0.name': 'is required', 'webhook_actions.0.url': 'is required' },
    ],
    [
      'eleven actions',
      aTool({ webhook_actions: Array.from({ length: 11 }, (_, n) => anAction({ name: `a${n}` })) }),
      { webhook_actions: '10' },
    ],
    ['two actions of one name', aTool({ webhook_actions: [anAction(), anAction()] }), { 'webhook_actions.1.name': '' }],
  ])('is refused with %s', async (_, body, expected) => {
    const errors = errorsOf(await post(body));
    expect(Object.keys(errors)).toEqual(Object.keys(expected));
    for (const [key, words] of Object.entries(expected)) expect(errors[key]).toContain(words);
  });
});

describe('the list of tools', () => {
  it('is newest first, in pages, and filtered by state and name', async () => {
    const where = await another();
    expect((await get(where)).body).toMatchObject({ data: [], meta: { total: 0, last_page: 1, from: null } });
    const book = await made({ ...aTool(), name: 'book_table' }, where);
    const idle = await made({ ...aTool({ is_active: false }), name: 'bookings' }, where);
    const weather = await made({ ...aTool(), name: 'weather' }, where);
    const ids = async (query: string) => ((await get(`${where}?${query}`)).body.data as MadeTool[]).map(({ id }) => id);
    expect(await ids('status=&search=')).toEqual([weather.id, idle.id, book.id]);
    expect(await ids('status=active')).toEqual([weather.id, book.id]);
    expect(await ids('status=inactive')).toEqual([idle.id]);
    expect(await ids('search=BOOK')).toEqual([idle.id, book.id]);
    expect(await ids('search=book_')).toEqual([book.id]);
    expect(await ids('search=%25')).toEqual([]);
    expect(await ids('search=book&status=inactive')).toEqual([idle.id]);
    expect((await get(`${where}?per_page=1&page=2&search=o`)).body).toMatchObject({
      data: [{ id: book.id }],
      links: { first: expect.stringContaining('page=1'), prev: expect.stringContaining('page=1'), next: null },
      meta: { current_page: 2, from: 2, last_page: 2, per_page: 1, to: 2, total: 2 },
    });
  });

  it.each(['status=on', 'per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'search=%00'])(
    'refuses %s',
    async (query) => {
      expect(Object.keys(errorsOf(await get(`${path}?${query}`)))).toEqual([query.split('=')[0]]);
    },
  );
});

it('the examples of the document are valid', async () => {
  const where = await another();
  type Examples = Record<string, { value: object }>;
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { requestBody: { content: { 'application/json': { examples: Examples } } } }>>;
  };
  const examplesOf = (of: string, method: string): [string, { value: object }][] =>
    Object.entries(paths[of]![method]!.requestBody.content['application/json'].examples);
  const list = '/api/v1/agents/{agent_id}/tools';
  const created: MadeTool[] = [];
  for (const [, { value }] of examplesOf(list, 'post')) created.push(await made(value, where));
  const changes = examplesOf(`${list}/{id}`, 'put');
  expect([created.length, changes.length]).toEqual([2, 2]);
  for (const [name, { value }] of changes) {
    const { status } = await service.as(own.token).put(`${where}/${created[0]!.id}`).send(value);
    expect([name, status]).toEqual([name, 200]);
  }
});

it.each([100, 5_000, 100_000])('a body of %d levels is refused', async (levels) => {
  const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const answer = await service
    .as(own.token)
    .post(path)
    .set('Content-Type', 'application/json')
    .send(`{"name":"deep","description":"x","parameters":${deep}}`);
  expect(answer.status).toBe(levels > 40_000 ? 413 : 400);
});

describe('the tools of an agent', () => {
  it('are those of its account: another account gets the 404 of an unknown agent', async () => {
    const { id } = await made(aTool());
    for (const [method, where] of [
      ['get', path],
      ['post', path],
      ['get', `${path}/${id}`],
      ['put', `${path}/${id}`],
      ['delete', `${path}/${id}`],
      ['post', `${path}/${id}/invoke`],
    ] as const) {
      const answer = await service.as(other.token)[method](where).send(aTool());
      const missing = where.replace(`agents/${own.agentId}`, 'agents/2000000000');
      const unknown = await service.as(other.token)[method](missing).send(aTool());
      expect([method, where, answer.status, answer.body]).toEqual([method, where, 404, unknown.body]);
    }
    expect((await get(`${await another()}/${id}`)).body).toEqual({ message: 'Tool not found.' });
    expect((await get(`${path}/${id}`)).status).toBe(200);
  });

  it.each(['abc', '0', '01', '1e0', '0x1', '1.5', '-1', '2147483648', '%00'])(
    'are not found by the id %s',
    async (id) => {
      for (const where of [`${path}/${id}`, `/api/v1/agents/${id}/tools`]) {
        const answer = await get(where);
        expect([answer.status, Object.keys(answer.body)]).toEqual([404, ['message']]);
      }
    },
  );

  it.each([
    ['get', '', 'tools:read'],
    ['post', '', 'tools:write'],
    ['get', '/1', 'tools:read'],
    ['put', '/1', 'tools:write'],
    ['patch', '/1', 'tools:write'],
    ['delete', '/1', 'tools:write'],
    ['post', '/1/invoke', 'tools:write'],
  ] as const)('%s %s needs the scope %s', async (method, rest, scope) => {
    const others = ['tools:read', 'tools:write', 'agents:write'].filter((one) => one !== scope);
    const token = await aToken(service.pool, own.accountId, others);
    const answer = await service.as(token)[method](`${path}${rest}`);
    expect([answer.status, answer.body]).toEqual([403, { message: `The token lacks the scope ${scope}.` }]);
    expect((await service.as()[method](`${path}${rest}`)).status).toBe(401);
  });
});
