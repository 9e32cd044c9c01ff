import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { aToken, anAgent, type Workspace } from '../support/factories.js';
import { freePort } from '../support/free-port.js';
import { aListedTool, McpPeer } from '../support/mcp-peer.js';
import { Service } from '../support/service.js';
import { aTool, errorsOf } from '../support/tools-environment.js';

type Instead = ReturnType<McpPeer['instead']>;

interface View extends Record<string, unknown> {
  id: number;
  pinned_tools: { tool_id: number; name: string; mcp_name: string; description: string }[];
}

const SECRET = 'Bearer open-sesame-4711';
const JSON_TYPE = { 'content-type': 'application/json' };

const service = Service.get();
let own: Workspace;
let other: Workspace;
let peer: McpPeer;

beforeAll(async () => {
  peer = await McpPeer.start();
  [own, other] = await Promise.all([service.account(), service.account()]);
});
afterEach(() => {
  peer.tools = [];
  peer.received.length = 0;
  peer.instead = () => undefined;
});
afterAll(async () => {
  await Promise.all([service.close(), peer?.close()]);
});

/** The path of an agent without tools, so that names are free. */
const anotherAgent = async (): Promise<string> => `/api/v1/agents/${await anAgent(service.pool, own.accountId)}`;
const aServer = (more: object = {}) => ({ name: 'shop', url: peer.url(), ...more });
const post = (where: string, body: object = {}) => service.as(own.token).post(where).send(body);
const get = async (where: string) => (await service.as(own.token).get(where)).body.data;
const add = async (agent: string, more: object = {}): Promise<View> => {
  const answer = await post(`${agent}/mcp-servers`, aServer(more));
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data as View;
};

const orderAs = (type: string) => ({
  type: 'object' as const,
  properties: { order: { type } },
  required: ['order'],
});

describe('an MCP server of an agent', () => {
  it('has its tools pinned as tools of the agent, in snake_case, with free names', async () => {
    peer.tools = [
      aListedTool(),
      aListedTool({ name: 'end_call', description: undefined, title: 'Hang up' }),
      aListedTool({ name: 'taken-name', description: undefined }),
      aListedTool({ name: '数' }),
      aListedTool({
        name: 'odd',
        inputSchema: { type: 'object', properties: { at: { $ref: 'https://example.com/' } } },
      }),
    ];
    const agent = await anotherAgent();
    await post(`${agent}/tools`, { ...aTool(), name: 'taken_name' });
    const server = await add(agent, { headers: { Authorization: SECRET, 'X-Team': 'desk' } });
    expect(server).toMatchObject({
      state: 'connected',
      headers: { Authorization: '********', 'X-Team': 'desk' },
      changes: [],
      error: null,
      skipped_tools: [{ name: 'odd', reason: expect.stringContaining('$ref') }],
    });
    expect(server.pinned_tools.map(({ name, mcp_name, description }) => [name, mcp_name, description])).toEqual([
      ['find_order', 'findOrder', 'Finds an order.'],
      ['shop_end_call', 'end_call', 'Hang up'],
      ['shop_taken_name', 'taken-name', 'taken-name'],
      ['tool', '数', 'Finds an order.'],
    ]);
    const tools = (await get(`${agent}/tools`)) as { name: string }[];
    expect(tools.find(({ name }) => name === 'find_order')).toMatchObject({
      webhook_actions: [],
      parameters: aListedTool().inputSchema,
      mcp: { server_id: server.id, server: 'shop', name: 'findOrder' },
    });
    expect(peer.of('tools/list').at(-1)!.headers).toMatchObject({ authorization: SECRET, 'x-team': 'desk' });
    expect((await get(`${agent}/mcp-servers`)).map(({ id }: View) => id)).toEqual([server.id]);
  });

  it('gives only the tools that are named; they can be deactivated, but not changed or deleted by themselves', async () => {
    peer.tools = [aListedTool(), aListedTool({ name: 'deleteOrder' })];
    const agent = await anotherAgent();
    const { id, pinned_tools: pinned } = await add(agent, { tools: ['deleteOrder'] });
    expect(pinned.map(({ mcp_name: name }) => name)).toEqual(['deleteOrder']);
    const unknown = await post(`${agent}/mcp-servers`, aServer({ name: 'b', tools: ['deleteOrder', 'noSuchTool'] }));
    expect(errorsOf(unknown)).toEqual({ 'tools.1': 'The MCP server has no tool of this name.' });
    const tool = `${agent}/tools/${pinned[0]!.tool_id}`;
    const as = service.as(own.token);
    expect((await as.put(tool).send({ is_active: false })).body.data).toMatchObject({ is_active: false });
    expect(Object.keys(errorsOf(await as.put(tool).send({ description: 'Mine.' })))).toEqual(['description']);
    expect((await as.delete(tool)).status).toBe(409);
    expect((await as.delete(`${agent}/mcp-servers/${id}`)).status).toBe(200);
    expect((await as.get(tool)).status).toBe(404);
  });

  it('reports changes of its tools, and conversations keep the pinned ones until the changes are accepted', async () => {
    peer.tools = [aListedTool({ inputSchema: orderAs('integer') }), aListedTool({ name: 'gone' })];
    const agent = await anotherAgent();
    const server = await add(agent);
    const path = `${agent}/mcp-servers/${server.id}`;
    peer.tools = [
      aListedTool({ inputSchema: orderAs('string'), description: 'Finds any order.' }),
      aListedTool({ name: 'new' }),
    ];
    expect((await post(`${path}/refresh`)).body.data).toMatchObject({
      state: 'changed',
      pinned_tools: server.pinned_tools,
      changes: [
        {
          ...{ tool: 'findOrder', change: 'changed' },
          differences: [
            'description: "Finds an order." became "Finds any order."',
            'parameters.properties.order.type: "integer" became "string"',
          ],
        },
        { tool: 'gone', change: 'removed', differences: [] },
        { tool: 'new', change: 'added', differences: [] },
      ],
    });
    // What is accepted is what was reported, not what the server says by then.
    peer.tools = [];
    const accepted = (await post(`${path}/accept`)).body.data as View;
    expect(accepted).toMatchObject({ state: 'connected', changes: [] });
    expect(accepted.pinned_tools.map(({ mcp_name: name, description }) => [name, description])).toEqual([
      ['findOrder', 'Finds any order.'],
      ['new', 'Finds an order.'],
    ]);
    expect((await post(`${path}/accept`)).status).toBe(409);
  });

  it('is used in a simulation, which refuses arguments that the pinned schema does not allow', async () => {
    peer.tools = [aListedTool()];
    peer.call = (_, { order }) => ({ content: [], structuredContent: { status: `shipped as ${String(order)}` } });
    const agent = await anotherAgent();
    await add(agent);
    const rules = [
      { on: { text: 'order (\\d+)' }, call: { tool: 'find_order', arguments: { order: 4711 } } },
      { on: { text: 'order' }, call: { tool: 'find_order', arguments: { order: 'mine' } } },
      { on: { tool: 'find_order', failed: true }, say: 'Which order?' },
      { on: { tool: 'find_order' }, say: 'It is {{result.structured_content.status}}.' },
    ];
    await service.as(own.token).patch(agent).send({ greeting: 'Hi.', script: { rules } });
    const steps = [
      { says: 'Where is my order?', expects: 'Which order' },
      { says: 'My order 4711.', expects: 'shipped as 4711', calls: 'find_order' },
    ];
    const { body } = await post(`${agent}/simulations`, { tools: 'live', steps });
    expect(body.data).toMatchObject({ passed: true, tool_calls: [{ ok: false }, { ok: true }] });
    expect(peer.of('tools/call').map(({ params }) => params?.arguments)).toEqual([{ order: 4711 }]);
  });

  it.each<[string, object, string]>([
    ['without a URL', { url: undefined }, 'url'],
    ['with a name that is not in snake_case', { name: 'My Shop' }, 'name'],
    ['at an internal address', { url: 'http://10.0.0.1/mcp' }, 'url'],
    ['with a header of the protocol', { headers: { 'Mcp-Session-Id': 'x' } }, 'headers.Mcp-Session-Id'],
    ['with a mask as a header', { headers: { Authorization: '********' } }, 'headers.Authorization'],
    ['with a tool named twice', { tools: ['a', 'a'] }, 'tools.1'],
    ['with a time limit beyond two minutes', { timeout_seconds: 121 }, 'timeout_seconds'],
  ])('is refused %s', async (_, more, field) => {
    const answer = await post(`/api/v1/agents/${own.agentId}/mcp-servers`, aServer(more));
    expect(Object.keys(errorsOf(answer))).toEqual([field]);
  });

  it.each<[string, Instead, string]>([
    ['refuses the token', (_, response) => response.writeHead(401).end(), 'status 401'],
    [
      'answers with a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'not MCP',
    ],
    ['answers invalid JSON', (_, response) => response.writeHead(200, JSON_TYPE).end('{"a'), 'not MCP'],
    ['answers JSON that is not JSON-RPC', (_, response) => response.writeHead(200, JSON_TYPE).end('{}'), 'not MCP'],
    [
      'redirects to another host',
      (_, response) => response.writeHead(307, { location: 'http://localhost:1/mcp' }).end(),
      'redirect',
    ],
    [
      'redirects within its host',
      (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      'redirect',
    ],
    ['hangs', () => undefined, 'within 1000 ms'],
    [
      'streams without an end',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n'),
      'within 1000 ms',
    ],
    [
      'answers more than 1 MB',
      (_, response) => response.writeHead(200, JSON_TYPE).end(`"${'x'.repeat(2_000_000)}"`),
      'too large',
    ],
    ['closes the connection', (request) => request.socket.destroy(), 'closed'],
  ])('is refused when it %s, without its address or header in the message', async (_, answer, words) => {
    peer.instead = () => answer;
    const body = aServer({ timeout_seconds: 1, headers: { Authorization: SECRET } });
    const errors = errorsOf(await post(`/api/v1/agents/${own.agentId}/mcp-servers`, body));
    expect(errors).toEqual({ url: expect.stringContaining(words) });
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|localhost|open-sesame/);
    expect(peer.received.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('is refused when it lists more tools than an agent can have, and read no further when it repeats its pages', async () => {
    const agent = await anotherAgent();
    peer.tools = Array.from({ length: 65 }, (__, index) => aListedTool({ name: `tool_${index}` }));
    const refused = errorsOf(await post(`${agent}/mcp-servers`, aServer()));
    expect(refused).toEqual({ url: expect.stringContaining('more than 64 tools') });
    expect((await add(agent, { name: 'one', tools: ['tool_64'] })).pinned_tools).toHaveLength(1);
    const again: Instead = (_, response, message) => {
      const { id } = message as { id: number };
      const result = { tools: [], nextCursor: 'again' };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    peer.instead = (_, method) => (method === 'tools/list' ? again : undefined);
    const before = peer.of('tools/list').length;
    await add(agent, { name: 'endless' });
    expect(peer.of('tools/list').length - before).toBe(8);
  });

  it('is one of ten at most, with a name of its own', async () => {
    const agent = await anotherAgent();
    await add(agent);
    expect(Object.keys(errorsOf(await post(`${agent}/mcp-servers`, aServer())))).toEqual(['name']);
    for (let more = 1; more < 10; more += 1) await add(agent, { name: `shop_${more}` });
    expect((await post(`${agent}/mcp-servers`, aServer({ name: 'eleventh' }))).status).toBe(409);
  });

  it('is asked anew when its URL changes, and gets its headers at the same host only', async () => {
    peer.tools = [aListedTool()];
    const other = await McpPeer.start();
    const agent = await anotherAgent();
    const { id, pinned_tools: pinned } = await add(agent, { headers: { Authorization: SECRET } });
    const put = (body: object) => service.as(own.token).put(`${agent}/mcp-servers/${id}`).send(body);
    const before = peer.received.length;
    expect((await put({ timeout_seconds: 30 })).body.data).toMatchObject({ timeout_seconds: 30 });
    expect(peer.received.length).toBe(before);
    peer.tools = [aListedTool({ description: 'New.' })];
    const updated = (await put({ url: peer.url('/v2'), headers: { Authorization: '********' } })).body.data as View;
    expect(updated.pinned_tools).toMatchObject([{ tool_id: pinned[0]!.tool_id, description: 'New.' }]);
    expect(peer.received.at(-1)!.headers).toMatchObject({ authorization: SECRET });
    for (const headers of [undefined, { Authorization: '********' }])
      expect(errorsOf(await put({ url: other.url(), headers }))).toEqual({
        [headers ? 'headers.Authorization' : 'headers']: expect.stringContaining('anew'),
      });
    expect(other.received).toEqual([]);
    expect((await put({ url: other.url(), headers: null })).status).toBe(200);
    for (const { headers } of other.received) expect(headers).not.toHaveProperty('authorization');
    const { rows } = await service.pool.query('SELECT s::text AS row FROM mcp_servers s WHERE account_id = $1', [
      own.accountId,
    ]);
    expect(JSON.stringify(rows)).not.toContain('open-sesame');
    await other.close();
  });

  it('that is down later is unreachable at a refresh, and keeps its tools', async () => {
    const gone = await McpPeer.start({ port: await freePort() });
    gone.tools = [aListedTool()];
    const agent = await anotherAgent();
    const { id, pinned_tools } = await add(agent, { url: gone.url() });
    await gone.close();
    expect((await post(`${agent}/mcp-servers/${id}/refresh`)).body.data).toMatchObject({
      ...{ state: 'unreachable', pinned_tools },
      error: expect.any(String),
    });
  });

  it('is invisible to other accounts, and needs the scopes of tools', async () => {
    const agent = `/api/v1/agents/${own.agentId}`;
    const { id } = await add(agent, { name: 'hidden' });
    for (const where of [`${agent}/mcp-servers`, `${agent}/mcp-servers/${id}`])
      expect((await service.as(other.token).get(where)).status).toBe(404);
    expect((await service.as(other.token).delete(`${agent}/mcp-servers/${id}`)).status).toBe(404);
    const token = await aToken(service.pool, own.accountId, ['tools:read']);
    expect((await service.as(token).get(`${agent}/mcp-servers/${id}`)).status).toBe(200);
    expect((await service.as(token).post(`${agent}/mcp-servers/${id}/refresh`)).status).toBe(403);
  });
});
