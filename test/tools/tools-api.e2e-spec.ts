import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

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

  it('keeps absent fields in a change; webhook_actions replaces the whole list', async () => {
    const { id, name } = await made(withAction({ headers: { Authorization: 'Bearer one' } }));
    const changed = await put(id, { description: 'Looks more up.', is_active: false });
    expect([changed.status, changed.body.data]).toMatchObject([
      200,
      { name, description: 'Looks more up.', is_active: false, webhook_actions: [{ name: 'ask' }] },
    ]);
    const replaced = await put(id, { webhook_actions: [anAction({ name: 'other' })] });
    expect(replaced.body.data.webhook_actions).toMatchObject([{ name: 'other', headers: null }]);
    expect((await put(id, { webhook_actions: [] })).body.data.webhook_actions).toEqual([]);
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
  });

  it('is created once for an Idempotency-Key', async () => {
    const tool = aTool();
    const send = () => post(tool).set('Idempotency-Key', `tool-${own.accountId}`);
    const [first, second] = [await send(), await send()];
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
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
    ['a long name', { ...aTool(), name: 'x'.repeat(65) }, { name: 'must be in snake_case' }],
    ['a built-in name', { ...aTool(), name: 'end_call' }, { name: 'built-in' }],
    ['a blank description', aTool({ description: ' \n' }), { description: 'is required' }],
    ['a long description', aTool({ description: 'x'.repeat(4_001) }), { description: 'greater than 4000' }],
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

  it.each<[string, object, string, string]>([
    ['a URL without a scheme', { url: 'example.com' }, 'url', 'absolute http or https'],
    ['an internal address', { url: 'http://169.254.169.254/' }, 'url', 'internal address'],
    ['a user name in the URL', { url: 'https://u:p@example.com/' }, 'url', 'user name'],
    ['arguments in the host', { url: 'https://{{args.h}}.example.com/' }, 'url', 'path and the query'],
    ['arguments in the port', { url: 'https://example.com:{{args.p}}/' }, 'url', 'path and the query'],
    ['an unknown placeholder', { url: 'https://example.com/{{env.HOME}}' }, 'url', '{{env.HOME}} is unknown'],
    ['an unknown method', { method: 'TRACE' }, 'method', 'must be one of: GET, POST, PUT, PATCH, DELETE'],
    ['a large payload', { payload: { a: 'x'.repeat(16_384) } }, 'payload', 'greater than 16,384 bytes'],
    ['a deep payload', { payload: nested(16) }, 'payload', 'deeper than 16 levels'],
    ['an unknown placeholder in the payload', { payload: { a: ['x {{user.id}}'] } }, 'payload.a.0', 'is unknown'],
    ['a header of the service', { headers: { 'Webhook-Id': 'x' } }, 'headers.Webhook-Id', 'set by the service'],
    ['a line break in a header', { headers: { A: 'x\r\nB: y' } }, 'headers.A', 'control characters'],
    ['a header twice', { headers: { A: 'x', a: 'y' } }, 'headers.a', 'more than once'],
    ['an object in the query', { query_params: { a: { b: 1 } } }, 'query_params.a', 'must be a string, a number'],
    ['a timeout that is too long', { timeout_seconds: 121 }, 'timeout_seconds', 'between 1 and 120'],
  ])('is refused when an action has %s', async (_, more, key, words) => {
    const errors = errorsOf(await post(withAction(more)));
    expect(errors).toEqual({ [`webhook_actions.0.${key}`]: expect.stringContaining(words) });
  });
});

describe('the headers of an action', () => {
  it('are secret when declared so or by their name; the mask keeps the stored value at the same host only', async () => {
    const headers = {
      ...{ Authorization: 'Bearer canary-1', 'X-Own': { value: 'canary-3', secret: true } },
      ...{ 'X-Shown': 'canary-4', 'X-Key': { value: 'canary-5', secret: false } },
    };
    const shown = { Authorization: '********', 'X-Own': '********', 'X-Shown': 'canary-4', 'X-Key': 'canary-5' };
    const tool = await made(withAction({ headers }));
    expect(tool.webhook_actions[0]!.headers).toEqual(shown);
    const { 'X-Key': _, ...kept } = shown;
    const back = { ...tool.webhook_actions[0], headers: kept, url: 'https://example.com/elsewhere' };
    expect((await put(tool.id, { webhook_actions: [back] })).body.data.webhook_actions[0].headers).toEqual(kept);
    for (const url of ['https://attacker.example/', 'https://example.com:444/', 'http://example.com/'])
      expect(Object.values(errorsOf(await put(tool.id, { webhook_actions: [{ ...back, url }] })))).toEqual(
        expect.arrayContaining([expect.stringContaining('to another host')]),
      );
    const { rows } = await service.pool.query<{ row: string }>(
      `SELECT t::text || a::text AS row FROM tools t JOIN tool_actions a ON a.tool_id = t.id WHERE t.id = $1`,
      [tool.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.row).not.toContain('canary');
  });
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
