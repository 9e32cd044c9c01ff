import { McpRefreshService } from '@app/tools';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { aWorkspace } from '../../support/factories.js';
import { aListedTool, McpPeer } from '../../support/mcp-peer.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aTool, errorsOf, ToolsEnvironment } from '../../support/tools-environment.js';

interface View extends Record<string, unknown> {
  id: number;
  pinned_tools: { tool_id: number; name: string; mcp_name: string; parameters: object; description: string }[];
}

const SECRET = 'Bearer open-sesame-4711';

let environment: ToolsEnvironment<InProcessApi>;
let peer: McpPeer;
let servers: string;
let count = 0;

beforeAll(async () => {
  [environment, peer] = await Promise.all([ToolsEnvironment.over(await InProcessApi.start()), McpPeer.start()]);
  servers = environment.path.replace(/tools$/, 'mcp-servers');
});
afterEach(() => {
  peer.tools = [];
  peer.instead = () => undefined;
});
afterAll(async () => {
  await environment?.close();
  await peer?.close();
});

const aServer = (more: object = {}) => ({ name: `shop_${(count += 1)}`, url: peer.url(), ...more });
const post = (body: object, where = servers): Promise<Response> => Promise.resolve(environment.post(body, where));
const added = async (more: object = {}, where = servers): Promise<View> => {
  const answer = await post(aServer(more), where);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data as View;
};
const act = async (id: number, action: 'refresh' | 'accept'): Promise<View> =>
  (await environment.post({}, `${servers}/${id}/${action}`)).body.data as View;
/** An agent without tools, so that names are free. */
const ofAnother = async (): Promise<string> => (await environment.another()).replace(/tools$/, 'mcp-servers');

describe('an MCP server that is added to an agent', () => {
  it('has its tools pinned as tools of the agent, in snake_case, with free names', async () => {
    peer.tools = [
      aListedTool({ title: 'Order finder' }),
      aListedTool({ name: 'end_call', description: undefined, title: 'Hang up' }),
      aListedTool({ name: 'taken-name', description: undefined }),
      aListedTool({ name: '数' }),
      aListedTool({
        name: 'findOrder2',
        inputSchema: { type: 'object', properties: { at: { $ref: 'https://example.com/x' } } },
      }),
    ];
    const where = await ofAnother();
    await environment.made(aTool({ name: 'taken_name' }), where.replace(/mcp-servers$/, 'tools'));
    const server = await added({ name: 'shop', headers: { Authorization: SECRET, 'X-Team': 'desk' } }, where);
    expect(server).toMatchObject({
      state: 'connected',
      headers: { Authorization: '********', 'X-Team': 'desk' },
      tools: null,
      timeout_seconds: 10,
      changes: [],
      error: null,
      skipped_tools: [{ name: 'findOrder2', reason: expect.stringContaining('$ref') }],
    });
    expect(server.pinned_tools.map(({ name, mcp_name, description }) => [name, mcp_name, description])).toEqual([
      ['find_order', 'findOrder', 'Finds an order.'],
      ['shop_end_call', 'end_call', 'Hang up'],
      ['shop_taken_name', 'taken-name', 'taken-name'],
      ['tool', '数', 'Finds an order.'],
    ]);
    const tools = (await environment.get(where.replace(/mcp-servers$/, 'tools'))).body.data as {
      name: string;
      mcp: unknown;
    }[];
    expect(tools.find(({ name }) => name === 'find_order')).toMatchObject({
      webhook_actions: [],
      parameters: aListedTool().inputSchema,
      mcp: { server_id: server.id, server: 'shop', name: 'findOrder' },
    });
    expect(tools.find(({ name }) => name === 'taken_name')).toMatchObject({ mcp: null });
    for (const { headers } of peer.received.filter(({ headers }) => headers['x-team']))
      expect(headers).toMatchObject({ authorization: SECRET });
    const { rows } = await environment.api.pool.query('SELECT mcp_servers::text AS row FROM mcp_servers');
    expect(JSON.stringify(rows)).not.toContain('open-sesame');
  });

  it('gives only the tools that the request names', async () => {
    peer.tools = [aListedTool(), aListedTool({ name: 'deleteOrder' })];
    const server = await added({ tools: ['deleteOrder'] }, await ofAnother());
    expect(server.pinned_tools.map(({ mcp_name }) => mcp_name)).toEqual(['deleteOrder']);
    const wrong = await post(aServer({ tools: ['deleteOrder', 'noSuchTool'] }));
    expect(errorsOf(wrong)).toEqual({ 'tools.1': 'The MCP server has no tool of this name.' });
  });

  it.each<[string, object, object]>([
    ['without a URL', { url: undefined }, { url: expect.stringContaining('required') }],
    ['with a name that is not in snake_case', { name: 'My Shop' }, { name: expect.stringContaining('snake_case') }],
    ['at an internal address', { url: 'http://10.0.0.1/mcp' }, { url: expect.stringContaining('internal') }],
    [
      'with a header of the protocol',
      { headers: { 'Mcp-Session-Id': 'x' } },
      { 'headers.Mcp-Session-Id': expect.any(String) },
    ],
    [
      'with a mask as a header',
      { headers: { Authorization: '********' } },
      { 'headers.Authorization': expect.any(String) },
    ],
    ['with a tool named twice', { tools: ['a', 'a'] }, { 'tools.1': expect.any(String) }],
    ['with a time limit beyond two minutes', { timeout_seconds: 121 }, { timeout_seconds: expect.any(String) }],
  ])('is refused %s', async (_, more, errors) => {
    expect(errorsOf(await post(aServer(more)))).toEqual(errors);
  });

  it.each<[string, (path: string) => ReturnType<McpPeer['instead']>, string]>([
    ['answers with an error', () => (_, response) => response.writeHead(500).end('no'), 'status 500'],
    ['refuses the token', () => (_, response) => response.writeHead(401).end(), 'status 401'],
    [
      'answers with a page',
      () => (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'not MCP',
    ],
    [
      'answers invalid JSON',
      () => (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
      'not MCP',
    ],
    [
      'answers JSON that is not JSON-RPC',
      () => (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      'not MCP',
    ],
    [
      'redirects to another host',
      () => (_, response) => response.writeHead(307, { location: 'http://localhost:1/mcp' }).end(),
      'redirect',
    ],
    [
      'redirects within its host',
      () => (_, response) => response.writeHead(307, { location: '/other' }).end(),
      'redirect',
    ],
    ['hangs', () => () => undefined, 'within 1000 ms'],
    ['closes the connection', () => (request) => request.socket.destroy(), 'closed'],
    [
      'answers more than 1 MB',
      () => (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2_000_000)}"`),
      'too large',
    ],
    [
      'streams without an end',
      () => (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n'),
      'within 1000 ms',
    ],
  ])('is refused when it %s', async (_, answer, sentence) => {
    peer.instead = answer;
    const before = peer.received.length;
    const answered = errorsOf(await post(aServer({ timeout_seconds: 1, headers: { Authorization: SECRET } })));
    expect(answered).toEqual({ url: expect.stringContaining(sentence) });
    expect(JSON.stringify(answered)).not.toMatch(/127\.0\.0\.1|localhost|open-sesame/);
    expect(peer.received.slice(before).map(({ path }) => path)).not.toContain('/other');
  });

  it('is refused when it lists more tools than an agent can have, and when it repeats its pages without end', async () => {
    peer.tools = Array.from({ length: 65 }, (__, index) => aListedTool({ name: `tool_${index}` }));
    expect(errorsOf(await post(aServer()))).toEqual({ url: expect.stringContaining('more than 64 tools') });
    const named = await added({ tools: ['tool_64'] }, await ofAnother());
    expect(named.pinned_tools).toHaveLength(1);
    peer.instead = (_, method) =>
      method !== 'tools/list'
        ? undefined
        : (__, response, message) => {
            const { id } = message as { id: number };
            const result = { tools: [], nextCursor: 'again' };
            response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
          };
    const before = peer.of('tools/list').length;
    await added();
    expect(peer.of('tools/list').length - before).toBe(8);
  });

  it('is one of ten at most, with a name of its own', async () => {
    const where = await ofAnother();
    const first = await added({}, where);
    expect(errorsOf(await post(aServer({ name: first.name }), where))).toEqual({
      name: `The agent has another MCP server named ${String(first.name)}.`,
    });
    for (let more = 1; more < 10; more += 1) await added({}, where);
    expect((await post(aServer(), where)).status).toBe(409);
  });
});

describe('a tool of an MCP server', () => {
  it('can be deactivated, but neither changed nor deleted by itself', async () => {
    peer.tools = [aListedTool()];
    const where = await ofAnother();
    const { pinned_tools, id } = await added({}, where);
    const tool = `${where.replace(/mcp-servers$/, 'tools')}/${pinned_tools[0]!.tool_id}`;
    const api = environment.api.as(environment.own.token);
    expect((await api.put(tool).send({ is_active: false })).body.data).toMatchObject({ is_active: false });
    const body = { description: 'Mine.', webhook_actions: [] };
    expect(Object.keys(errorsOf(await api.put(tool).send(body)))).toEqual(['description', 'webhook_actions']);
    expect((await api.delete(tool)).status).toBe(409);
    expect((await api.delete(`${where}/${id}`)).status).toBe(200);
    expect((await api.get(tool)).status).toBe(404);
  });
});

describe('a changed MCP server', () => {
  const integer = { type: 'object' as const, properties: { order: { type: 'integer' } }, required: ['order'] };
  const text = { type: 'object' as const, properties: { order: { type: 'string' } }, required: ['order'] };

  it('is reported with the difference, while the pinned tools stay until it is accepted', async () => {
    peer.tools = [aListedTool({ inputSchema: integer }), aListedTool({ name: 'gone' }), aListedTool({ name: 'same' })];
    const where = await ofAnother();
    const path = `${where}/${(await added({}, where)).id}`;
    const before = (await environment.get(path)).body.data as View;
    peer.tools = [
      aListedTool({ inputSchema: text, description: 'Finds any order.' }),
      aListedTool({ name: 'same' }),
      aListedTool({ name: 'new' }),
    ];
    const changed = (await environment.post({}, `${path}/refresh`)).body.data as View;
    expect(changed).toMatchObject({
      state: 'changed',
      pinned_tools: before.pinned_tools,
      changes: [
        {
          tool: 'findOrder',
          change: 'changed',
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
    peer.tools = [aListedTool({ description: 'Something else entirely.' })];
    const accepted = (await environment.post({}, `${path}/accept`)).body.data as View;
    expect(accepted).toMatchObject({ state: 'connected', changes: [] });
    expect(accepted.pinned_tools.map(({ mcp_name, description }) => [mcp_name, description])).toEqual([
      ['findOrder', 'Finds any order.'],
      ['same', 'Finds an order.'],
      ['new', 'Finds an order.'],
    ]);
    expect(accepted.pinned_tools[0]!.tool_id).toBe(before.pinned_tools[0]!.tool_id);
    expect((await environment.post({}, `${path}/accept`)).status).toBe(409);
    const { rows } = await environment.api.pool.query<{ action: string }>(
      `SELECT action FROM audit_events WHERE subject_kind = 'mcp_server' AND subject_id = $1 ORDER BY id`,
      [path.split('/').at(-1)],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'mcp_server.created',
      'mcp_server.changed',
      'mcp_server.accepted',
    ]);
  });

  it('is found by the daily check, once; a server that is down is unreachable and keeps its tools', async () => {
    peer.tools = [aListedTool()];
    const { id } = await added();
    const lost = await added({ tools: [] });
    const service = environment.api.app.get(McpRefreshService);
    const { pool } = environment.api;
    const age = () =>
      pool.query(`UPDATE mcp_servers SET checked_at = now() - interval '25 hours' WHERE id = ANY ($1)`, [
        [id, lost.id],
      ]);
    await age();
    await pool.query('UPDATE mcp_servers SET url = $2 WHERE id = $1', [lost.id, 'http://127.0.0.1:1/mcp']);
    peer.tools = [];
    const listed = peer.of('tools/list').length;
    await Promise.all([service.refreshDue(), service.refreshDue()]);
    expect(peer.of('tools/list').length - listed).toBe(1);
    expect((await environment.get(`${servers}/${id}`)).body.data).toMatchObject({
      state: 'changed',
      changes: [{ change: 'removed' }],
    });
    const down = (await environment.get(`${servers}/${lost.id}`)).body.data as View;
    expect(down).toMatchObject({ state: 'unreachable', error: expect.stringContaining('refused') });
    await pool.query('UPDATE mcp_servers SET url = $2 WHERE id = $1', [lost.id, peer.url()]);
    peer.tools = [aListedTool()];
    expect(await act(lost.id, 'refresh')).toMatchObject({ state: 'connected', error: null });
    expect(await act(id, 'refresh')).toMatchObject({ state: 'connected', changes: [] });
  });
});

describe('an update of an MCP server', () => {
  it('pins anew when URL, headers or tools change, and keeps masked headers on the same host only', async () => {
    peer.tools = [aListedTool()];
    const other = await McpPeer.start();
    try {
      const { id, pinned_tools } = await added({ headers: { Authorization: SECRET } });
      const put = async (body: object): Promise<Response> =>
        Promise.resolve(environment.api.as(environment.own.token).put(`${servers}/${id}`).send(body));
      const before = peer.received.length;
      expect((await put({ timeout_seconds: 30 })).body.data).toMatchObject({ timeout_seconds: 30 });
      expect(peer.received.length).toBe(before);
      peer.tools = [aListedTool({ description: 'New.' })];
      const updated = (await put({ url: peer.url('/v2'), headers: { Authorization: '********' } })).body.data as View;
      expect(updated.pinned_tools).toMatchObject([{ tool_id: pinned_tools[0]!.tool_id, description: 'New.' }]);
      expect(peer.received.at(-1)!.headers).toMatchObject({ authorization: SECRET });
      for (const headers of [undefined, { Authorization: '********' }])
        expect(errorsOf(await put({ url: other.url(), headers }))).toEqual({
          [headers ? 'headers.Authorization' : 'headers']: expect.stringContaining('anew'),
        });
      expect(other.received).toEqual([]);
      expect((await put({ url: other.url(), headers: null })).status).toBe(200);
      for (const { headers } of other.received) expect(headers).not.toHaveProperty('authorization');
    } finally {
      await other.close();
    }
  });

  it("returns 404 for another account's agent and server", async () => {
    const { id } = await added({ tools: [] });
    const stranger = await aWorkspace(environment.api.pool);
    const api = environment.api.as(stranger.token);
    const own = servers.replace(String(environment.own.agentId), String(stranger.agentId));
    for (const path of [`${servers}/${id}`, `${own}/${id}`]) {
      expect((await api.get(path)).status).toBe(404);
      expect((await api.post(`${path}/refresh`)).status).toBe(404);
      expect((await api.post(`${path}/accept`)).status).toBe(404);
      expect((await api.delete(path)).status).toBe(404);
    }
    const before = peer.received.length;
    expect((await api.post(servers).send(aServer())).status).toBe(404);
    expect(peer.received.length).toBe(before);
  });
});
