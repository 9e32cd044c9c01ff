import { ToolsService } from '@app/tools';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CREATE_TOOL_EXAMPLES, UPDATE_TOOL_EXAMPLES } from '../../../apps/api/src/tools/tools.dto.js';
import { aToken, anAgent, aWorkspace } from '../../support/factories.js';
import { InProcessApi } from '../../support/in-process-api.js';
import {
  aTool,
  anAction,
  errorsOf,
  type MadeTool,
  ToolsEnvironment,
  withAction,
} from '../../support/tools-environment.js';

let setup: ToolsEnvironment<InProcessApi>;

beforeAll(async () => {
  setup = await ToolsEnvironment.over(await InProcessApi.start());
});
afterAll(() => setup.close());

describe('a tool', () => {
  it('is returned, read and listed with every field, in the order of the request', async () => {
    const parameters = {
      type: 'object',
      title: 'Booking',
      properties: { zeta: { type: 'string' }, a: { type: 'integer', minimum: 1 }, toString: { type: 'string' } },
      required: ['zeta'],
    };
    const full = anAction({
      url: 'https://example.com/{{args.zeta}}?a={{ args.a }}',
      method: 'PUT',
      payload: { zeta: '{{args.zeta}}', a: ['{{call.to_number}}', 1, null], toString: { b: '{{metadata}}' } },
      headers: { 'X-Team': 'desk {{agent.name}}', Authorization: 'Bearer abc' },
      query_params: { z: 1, a: ['x', true, null], b: '{{args.a}}' },
      wait_response: false,
      timeout_seconds: 120,
    });
    const times = { created_at: expect.stringMatching(/\+00:00$/), updated_at: expect.stringMatching(/\+00:00$/) };
    const data = await setup.made({
      ...aTool(),
      name: 'book_table',
      parameters,
      webhook_actions: [full, anAction({ name: 'b' })],
    });
    expect(data).toEqual({
      id: expect.any(Number),
      agent_id: setup.own.agentId,
      name: 'book_table',
      description: 'Looks something up.',
      is_active: true,
      parameters,
      mcp: null,
      webhook_actions: [
        { id: expect.any(Number), ...full, headers: { 'X-Team': 'desk {{agent.name}}', Authorization: '********' } },
        {
          id: expect.any(Number),
          name: 'b',
          url: 'https://example.com/ask',
          method: 'POST',
          payload: null,
          headers: null,
          query_params: null,
          wait_response: true,
          timeout_seconds: 10,
        },
      ],
      ...times,
    });
    expect(JSON.stringify((await setup.get(`${setup.path}/${data.id}`)).body)).toBe(JSON.stringify({ data }));
    expect((await setup.get(setup.path)).body.data[0]).toEqual(data);
  });

  it('with a name and a description only is active, without arguments and actions', async () => {
    const data = await setup.made({
      ...aTool(),
      parameters: null,
      webhook_actions: null,
      is_active: '',
      id: 7,
      unknown: 1,
    });
    expect(data).toMatchObject({ is_active: true, webhook_actions: [] });
    expect(data.parameters).toEqual({ type: 'object', properties: {} });
    expect(await setup.made(aTool({ is_active: false }))).toMatchObject({ is_active: false });
  });

  it('needs a name that is unique for its agent', async () => {
    const where = await setup.another();
    const [name, other] = ['look_up', await setup.made(aTool(), where)];
    const both = await Promise.all([setup.post({ ...aTool(), name }, where), setup.post({ ...aTool(), name }, where)]);
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 422]));
    const taken = { name: 'The agent has another tool named look_up.' };
    expect(errorsOf(both.find(({ status }) => status === 422)!)).toEqual(taken);
    const renamed = await setup.api.as(setup.own.token).put(`${where}/${other.id}`).send({ name });
    expect(errorsOf(renamed)).toEqual(taken);
    await setup.made({ ...aTool(), name }, await setup.another());
  });

  it('is refused if its agent has 100 tools', async () => {
    const where = await setup.another();
    await setup.api.pool.query(
      `INSERT INTO tools (account_id, agent_id, name, description, parameters)
       SELECT $1, $2, 'n' || n, 'x', '{}' FROM generate_series(1, 99) n`,
      [setup.own.accountId, Number(where.split('/')[4])],
    );
    const both = await Promise.all([setup.post(aTool(), where), setup.post(aTool(), where)]);
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
    expect(both.find(({ status }) => status === 409)?.body.message).toContain('has 100 tools');
  });

  it.each(['a', 'a1_b', 'x'.repeat(64)])('may be named %s', async (name) => {
    const { status, body } = await setup.post({ ...aTool(), name }, await setup.another());
    expect([status, body]).toEqual([
      201,
      { message: 'Tool created successfully.', data: expect.objectContaining({ name }) },
    ]);
  });

  it.each<[string, object, Record<string, string>]>([
    ['an empty body', {}, { name: 'is required', description: 'is required' }],
    ['a name with a capital', { ...aTool(), name: 'Book' }, { name: 'must be in snake_case' }],
    ['a name that starts with a digit', { ...aTool(), name: '1a' }, { name: 'must be in snake_case' }],
    ['a line break in the name', { ...aTool(), name: 'a\n' }, { name: 'must be in snake_case' }],
    ['a long name', { ...aTool(), name: 'x'.repeat(65) }, { name: 'must be in snake_case' }],
    ['a list as name', { ...aTool(), name: ['a'] }, { name: 'must be a string' }],
    ['a built-in name', { ...aTool(), name: 'end_call' }, { name: 'built-in' }],
    ['a built-in name', { ...aTool(), name: 'search_knowledge_base' }, { name: 'built-in' }],
    ['no description', aTool({ description: '' }), { description: 'is required' }],
    ['a blank description', aTool({ description: ' \n' }), { description: 'is required' }],
    ['a long description', aTool({ description: 'x'.repeat(4_001) }), { description: 'greater than 4000' }],
    ['is_active as text', aTool({ is_active: 'yes' }), { is_active: 'must be true or false' }],
    ['a list as schema', aTool({ parameters: [] }), { parameters: 'must be an object' }],
    ['a schema of a string', aTool({ parameters: { type: 'string' } }), { 'parameters.type': 'must be object' }],
    ['a schema without a type', aTool({ parameters: {} }), { 'parameters.type': 'must be object' }],
    [
      'a pattern with look-ahead',
      aTool({ parameters: { type: 'object', properties: { when: { type: 'string', pattern: '(?=x)' } } } }),
      { 'parameters.properties.when.pattern': 'look-around' },
    ],
    ['actions that are not a list', aTool({ webhook_actions: {} }), { webhook_actions: 'must be an array' }],
    ['a string as action', aTool({ webhook_actions: ['x'] }), { 'webhook_actions.0': 'must be an object' }],
    [
      'eleven actions',
      aTool({ webhook_actions: Array.from({ length: 11 }, (_, n) => anAction({ name: `a${n}` })) }),
      { webhook_actions: 'more than 10' },
    ],
    [
      'two actions with one name',
      aTool({ webhook_actions: [anAction(), anAction()] }),
      { 'webhook_actions.1.name': 'another name' },
    ],
    [
      'an empty action',
      aTool({ webhook_actions: [anAction(), {}] }),
      {
        'webhook_actions.1.name': 'is required',
        'webhook_actions.1.url': 'The webhook_actions.1.url field is required',
      },
    ],
  ])('is refused: %s', async (_name, body, expected) => {
    const errors = errorsOf(await setup.post(body));
    expect(Object.keys(errors).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [key, sentence] of Object.entries(expected)) expect(errors[key]).toContain(sentence);
  });

  it('can be created for an agent that is not active', async () => {
    const idle = await anAgent(setup.api.pool, setup.own.accountId, { active: false });
    expect(await setup.made(aTool(), `/api/v1/agents/${idle}/tools`)).toMatchObject({ agent_id: idle });
  });
});

describe('an update', () => {
  it.each(['put', 'patch'] as const)('with %s changes the fields of the request', async (method) => {
    const before = await setup.made(aTool({ parameters: { type: 'object' }, webhook_actions: [anAction()] }));
    const change = async (body: object) => {
      const answer = await setup.api.as(setup.own.token)[method](`${setup.path}/${before.id}`).send(body);
      expect([answer.status, answer.body.message]).toEqual([200, 'Tool updated successfully.']);
      return answer.body.data as MadeTool;
    };
    expect(await change({})).toEqual(before);
    expect(await change({ name: null, description: null, webhook_actions: null, id: 1 })).toEqual(before);
    const blank = { ...anAction(), method: '', wait_response: '', timeout_seconds: '' };
    const [defaults] = (await change({ webhook_actions: [blank] })).webhook_actions;
    expect(defaults).toMatchObject({ method: 'POST', wait_response: true, timeout_seconds: 10 });
    Object.assign(before, await change({ webhook_actions: [anAction()] }));
    const described = await change({ description: 'Other.' });
    expect(described).toEqual({ ...before, description: 'Other.', updated_at: expect.any(String) });
    expect(Date.parse(described['updated_at'] as string)).toBeGreaterThan(Date.parse(before['updated_at'] as string));
    expect(await change({ is_active: false })).toMatchObject({ is_active: false, description: 'Other.' });
    const parameters = { type: 'object', properties: { b: { type: 'string' }, a: true } };
    expect(await change({ parameters, name: `renamed_${method}` })).toMatchObject({ parameters, is_active: false });
    expect((await change({ name: `renamed_${method}` })).webhook_actions).toEqual(before.webhook_actions);
  });

  it('with a list replaces all actions, and with an empty list deletes them', async () => {
    const { id, webhook_actions: before } = await setup.made(
      aTool({ webhook_actions: [anAction({ payload: { a: 1 } }), anAction({ name: 'second' })] }),
    );
    const replaced = (await setup.put(id, { webhook_actions: [anAction({ name: 'third' }), anAction()] })).body
      .data as MadeTool;
    expect(replaced.webhook_actions.map(({ name, payload }) => [name, payload])).toEqual([
      ['third', null],
      ['ask', null],
    ]);
    const ids = replaced.webhook_actions.map((one) => one.id);
    expect(before.map((one) => one.id).filter((one) => ids.includes(one))).toEqual([]);
    expect((await setup.put(id, { description: 'y' })).body.data.webhook_actions).toEqual(replaced.webhook_actions);
    expect((await setup.put(id, { webhook_actions: [] })).body.data.webhook_actions).toEqual([]);
    const left = await setup.api.pool.query('SELECT 1 FROM tool_actions WHERE tool_id = $1', [id]);
    expect(left.rows).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: 'No' }, 'name'],
    [{ name: 'call_transfer' }, 'name'],
    [{ description: '' }, 'description'],
    [{ is_active: 1 }, 'is_active'],
    [{ parameters: { type: 'object', properties: { a: { type: 'text' } } } }, 'parameters.properties.a.type'],
    [{ webhook_actions: [{ name: 'x' }] }, 'webhook_actions.0.url'],
    [{ webhook_actions: [{ name: 'x', url: 'http://10.0.0.1/' }] }, 'webhook_actions.0.url'],
  ])('is refused: %j', async (body, key) => {
    const before = await setup.made(aTool());
    expect(Object.keys(errorsOf(await setup.put(before.id, body)))).toEqual([key]);
    expect((await setup.get(`${setup.path}/${before.id}`)).body.data).toEqual(before);
  });

  it('concurrent with another stores the actions of only one of them', async () => {
    const { id } = await setup.made(withAction({}));
    const lists = ['one', 'two'].map((name) => [anAction({ name }), anAction({ name: `${name}_more` })]);
    const answers = await Promise.all(lists.map((list) => setup.put(id, { webhook_actions: list })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const names = (await setup.get(`${setup.path}/${id}`)).body.data.webhook_actions.map(
      (one: MadeTool) => one['name'],
    );
    expect([
      ['one', 'one_more'],
      ['two', 'two_more'],
    ]).toContainEqual(names);
  });
});

describe('the creation of a tool with an Idempotency-Key', () => {
  it('returns the first response to repeated and concurrent requests', async () => {
    const body = withAction({ headers: { Authorization: 'x', 'X-A': 'y' }, payload: { b: 1, a: 2 } });
    const send = (more: object = {}, where = setup.path) =>
      setup.post({ ...body, ...more }, where).set('Idempotency-Key', 'k-1');
    const [first, second] = await Promise.all([send(), send()]);
    const third = await send();
    expect([first.status, second.status, third.status]).toEqual([201, 201, 201]);
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect(JSON.stringify(third.body)).toBe(JSON.stringify(first.body));
    expect(third.headers['idempotent-replayed']).toBe('true');
    expect((await send({ description: 'Other' })).status).toBe(409);
    expect((await send({}, await setup.another())).status).toBe(409);
  });

  it('is a new request after a day', async () => {
    const send = () => setup.post(withAction({})).set('Idempotency-Key', 'k-2');
    const first = await send();
    const older = `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'k-2'`;
    await setup.api.pool.query(older);
    expect((await send()).body.data.id).not.toBe(first.body.data.id);
  });
});

describe('the list', () => {
  it('is newest first, in pages, and filtered by state and name', async () => {
    const where = await setup.another();
    expect((await setup.get(where)).body).toMatchObject({ data: [], meta: { total: 0, last_page: 1, from: null } });
    const book = await setup.made({ ...aTool(), name: 'book_table' }, where);
    const idle = await setup.made(
      { ...aTool({ is_active: false, webhook_actions: [anAction()] }), name: 'bookings' },
      where,
    );
    const other = await setup.made({ ...aTool(), name: 'weather' }, where);
    const ids = async (query: string) =>
      ((await setup.get(`${where}?${query}`)).body.data as MadeTool[]).map(({ id }) => id);
    expect(await ids('')).toEqual([other.id, idle.id, book.id]);
    expect(await ids('status=active')).toEqual([other.id, book.id]);
    expect(await ids('status=inactive')).toEqual([idle.id]);
    expect(await ids('status=&search=')).toHaveLength(3);
    expect(await ids('search=BOOK')).toEqual([idle.id, book.id]);
    expect(await ids('search=book_')).toEqual([book.id]);
    expect(await ids('search=%25')).toEqual([]);
    expect(await ids('search=book&status=inactive')).toEqual([idle.id]);
    const page = (await setup.get(`${where}?per_page=1&page=2&search=o`)).body;
    expect(page).toMatchObject({
      data: [{ id: book.id }],
      links: { first: expect.stringContaining('page=1'), prev: expect.stringContaining('page=1'), next: null },
      meta: { current_page: 2, from: 2, last_page: 2, per_page: 1, to: 2, total: 2 },
    });
    expect((await setup.get(where)).body.meta.per_page).toBe(15);
  });

  it.each(['status=on', 'per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'search=%00'])(
    'rejects %s',
    async (query) => {
      expect(Object.keys(errorsOf(await setup.get(`${setup.path}?${query}`)))).toEqual([query.split('=')[0]]);
    },
  );
});

describe('a deletion', () => {
  it('deletes the actions too', async () => {
    const { id } = await setup.made(withAction({}));
    const answer = await setup.api.as(setup.own.token).delete(`${setup.path}/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { message: 'Tool deleted successfully.' }]);
    expect((await setup.api.as(setup.own.token).delete(`${setup.path}/${id}`)).status).toBe(404);
    expect((await setup.api.pool.query('SELECT 1 FROM tool_actions WHERE tool_id = $1', [id])).rows).toEqual([]);
  });
});

describe('the tools of a conversation', () => {
  it('are the active tools of the agent, oldest first, with their actions in order', async () => {
    const where = await setup.another();
    const agent = { accountId: setup.own.accountId, agentId: Number(where.split('/')[4]) };
    const first = await setup.made(
      aTool({ webhook_actions: [anAction({ name: 'b' }), anAction({ name: 'a' })] }),
      where,
    );
    await setup.made(aTool({ is_active: false }), where);
    const last = await setup.made(aTool(), where);
    const found = await setup.api.app.get(ToolsService).ofAgent(agent);
    expect(found.map(({ id, actions }) => [id, actions.map(({ name }) => name)])).toEqual([
      [first.id, ['b', 'a']],
      [last.id, []],
    ]);
    expect(found[0]?.actions[0]).toMatchObject({ timeoutMs: 10_000, waitResponse: true, headersEncrypted: null });
    expect(await setup.api.app.get(ToolsService).ofAgent({ ...agent, accountId: setup.own.accountId + 1 })).toEqual([]);
  });
});

describe('the documentation', () => {
  it('has valid examples', async () => {
    const where = await setup.another();
    const [two, query] = [CREATE_TOOL_EXAMPLES.two, CREATE_TOOL_EXAMPLES.query].map(({ value }) => value);
    const { id } = await setup.made(two ?? {}, where);
    await setup.made(query ?? {}, where);
    for (const [name, { value }] of Object.entries(UPDATE_TOOL_EXAMPLES)) {
      const { status } = await setup.api.as(setup.own.token).put(`${where}/${id}`).send(value);
      expect([name, status]).toEqual([name, 200]);
    }
  });
});

describe("another account's tool", () => {
  it('is not found by any route, with the same answer as for one that does not exist', async () => {
    const { id } = await setup.made(aTool());
    const stranger = await aWorkspace(setup.api.pool);
    const theirs = setup.api.as(stranger.token);
    for (const where of [`${setup.path}/${id}`, `/api/v1/agents/${stranger.agentId}/tools/${id}`]) {
      const answers = [
        await theirs.get(where),
        await theirs.put(where).send({ description: 'x' }),
        await theirs.patch(where).send({ webhook_actions: [] }),
        await theirs.delete(where),
      ];
      expect(answers.map(({ status, body }) => [status, body])).toEqual(
        Array(4).fill([404, { message: 'Tool not found.' }]),
      );
    }
    const lists = [await theirs.get(setup.path), await theirs.post(setup.path).send(aTool())];
    expect(lists.map(({ status, body }) => [status, body])).toEqual(
      Array(2).fill([404, { message: 'Agent not found.' }]),
    );
    // Nor is it a tool of another agent of the same account.
    expect((await setup.get(`${await setup.another()}/${id}`)).status).toBe(404);
    expect((await setup.get(`${setup.path}/${id}`)).status).toBe(200);
  });

  it.each(['abc', '0', '01', '1e0', '0x1', '1.5', '-1', '2147483648', '999999', '%00'])('%s is 404', async (id) => {
    for (const where of [`${setup.path}/${id}`, `/api/v1/agents/${id}/tools`]) {
      const answer = await setup.get(where);
      expect([answer.status, Object.keys(answer.body)]).toEqual([404, ['message']]);
    }
  });

  it.each([
    ['get', '', 'tools:read'],
    ['post', '', 'tools:write'],
    ['get', '/1', 'tools:read'],
    ['put', '/1', 'tools:write'],
    ['patch', '/1', 'tools:write'],
    ['delete', '/1', 'tools:write'],
  ] as const)('%s %s needs the scope %s', async (method, rest, scope) => {
    const others = (['tools:read', 'tools:write', 'knowledge:write'] as const).filter((other) => other !== scope);
    const token = await aToken(setup.api.pool, setup.own.accountId, others);
    const answer = await setup.api.as(token)[method](`${setup.path}${rest}`);
    expect([answer.status, answer.body]).toEqual([403, { message: `The token lacks the scope ${scope}.` }]);
    expect((await setup.api.as()[method](`${setup.path}${rest}`)).status).toBe(401);
  });
});

describe('a request body', () => {
  it.each([100, 5_000, 100_000])('of %d levels is rejected without recursion', async (levels) => {
    const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const answer = await setup.api
      .as(setup.own.token)
      .post(setup.path)
      .set('Content-Type', 'application/json')
      .send(`{"name":"deep","description":"x","parameters":${deep}}`);
    expect([answer.status, answer.body.message]).toEqual([
      levels > 40_000 ? 413 : 400,
      expect.stringMatching(/deeper than 100 levels|larger than 256 KB/),
    ]);
  });
});
