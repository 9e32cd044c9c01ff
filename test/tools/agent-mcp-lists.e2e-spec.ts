import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import type { Workspace } from '../support/factories.js';
import { aListedTool, McpPeer } from '../support/mcp-peer.js';
import { Service } from '../support/service.js';
import { errorsOf } from '../support/tools-environment.js';

const SECRET = 'Bearer open-sesame-4712';
const AGENTS = '/api/v1/agents';

const service = Service.get();
let own: Workspace;
let peer: McpPeer;
let count = 0;

beforeAll(async () => {
  [own, peer] = await Promise.all([service.account(), McpPeer.start()]);
});
afterEach(() => {
  peer.tools = [];
  peer.received.length = 0;
  peer.instead = () => undefined;
});
afterAll(async () => {
  await Promise.all([service.close(), peer?.close()]);
});

const get = (path: string) => service.as(own.token).get(path);
const send = (method: 'post' | 'patch', path: string, body: object): Promise<Response> =>
  Promise.resolve(service.as(own.token)[method](path).send(body));
const create = (tools: object[], more: object = {}) =>
  send('post', AGENTS, { name: `With tools ${(count += 1)}`, tools, ...more });
const serversOf = async (id: number) =>
  (await get(`${AGENTS}/${id}/mcp-servers`)).body.data as ({
    name: string;
    pinned_tools: object[];
  } & Record<string, unknown>)[];
const shop = (more: object = {}) => ({ mcp: { name: 'shop', url: peer.url(), ...more } });
const refused = (): void => {
  peer.instead = () => (_, response) => response.writeHead(500).end('no');
};

describe('the MCP servers in the body of an agent', () => {
  it('are added with the agent, updated by their names, kept by requests without tools, and removed by []', async () => {
    peer.tools = [aListedTool(), aListedTool({ name: 'deleteOrder' })];
    const first = await create([shop({ headers: { Authorization: SECRET } }), { mcp: { url: peer.url('/other') } }]);
    expect([first.status, first.text]).toEqual([201, expect.not.stringContaining('open-sesame')]);
    const { id, version } = first.body.data as { id: number; version: number };
    const added = await serversOf(id);
    expect(added.map(({ name, pinned_tools: pinned }) => [name, pinned.length])).toEqual([
      ['mcp_127_0_0_1', 2],
      ['shop', 2],
    ]);

    peer.received.length = 0;
    expect((await send('patch', `${AGENTS}/${id}`, { greeting: 'Hello.' })).status).toBe(200);
    expect(
      (await send('patch', `${AGENTS}/${id}`, { tools: [shop(), { mcp: { url: peer.url('/other') } }] })).status,
    ).toBe(200);
    expect([await serversOf(id), peer.received]).toEqual([added, []]);

    const changed = await send('patch', `${AGENTS}/${id}`, {
      tools: [shop({ tools: ['deleteOrder'], timeout_seconds: 30 })],
    });
    expect([changed.status, changed.body.data.version]).toEqual([200, version + 1]);
    expect(peer.received.every(({ headers }) => headers.authorization === SECRET)).toBe(true);
    expect(await serversOf(id)).toMatchObject([
      { name: 'shop', tools: ['deleteOrder'], timeout_seconds: 30, headers: { Authorization: '********' } },
    ]);
    const tools = (await get(`${AGENTS}/${id}/tools`)).body.data as { name: string }[];
    expect(tools.map(({ name }) => name)).toEqual(['delete_order']);

    expect((await send('patch', `${AGENTS}/${id}`, { tools: [] })).status).toBe(200);
    expect(await serversOf(id)).toEqual([]);
  });

  it('are asked before anything is saved: if one cannot be used, neither the agent nor a server changes', async () => {
    peer.tools = [aListedTool()];
    const agent = (await create([shop()])).body.data as { id: number };
    const before = await serversOf(agent.id);
    refused();
    const name = `Never stored ${(count += 1)}`;
    const created = await create([shop()], { name });
    expect(errorsOf(created)).toEqual({ 'tools.0.mcp.url': expect.stringContaining('status 500') });
    const body = { greeting: 'Changed.', tools: [shop(), { mcp: { name: 'other', url: peer.url('/other') } }] };
    const updated = await send('patch', `${AGENTS}/${agent.id}`, body);
    expect(errorsOf(updated)).toEqual({ 'tools.1.mcp.url': expect.stringContaining('status 500') });
    expect(await serversOf(agent.id)).toEqual(before);
    expect((await get(`${AGENTS}/${agent.id}`)).body.data).toMatchObject({ greeting: '' });
    expect((await get(`${AGENTS}?per_page=100`)).text).not.toContain(name);
  });

  it('are not added twice by a repetition with the same Idempotency-Key, which needs no server', async () => {
    peer.tools = [aListedTool()];
    const body = { name: `Once ${(count += 1)}`, tools: [shop()] };
    const post = () => service.as(own.token).post(AGENTS).set('Idempotency-Key', `list-${own.accountId}`).send(body);
    const first = await post();
    refused();
    const again = await post();
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect(await serversOf(first.body.data.id as number)).toHaveLength(1);
  });

  it.each<[string, () => object[], object]>([
    ['without mcp', () => [{ name: 'x' }], { 'tools.0.mcp': expect.stringContaining('required') }],
    [
      'with two servers of one host and no names',
      () => [{ mcp: { url: peer.url() } }, { mcp: { url: peer.url('/b') } }],
      {
        'tools.1.mcp.name': expect.stringContaining('mcp_127_0_0_1'),
      },
    ],
    [
      'at an internal address',
      () => [shop({ url: 'http://10.0.0.1/mcp' })],
      {
        'tools.0.mcp.url': expect.stringContaining('internal'),
      },
    ],
    [
      'with a tool that the server lacks',
      () => [shop({ tools: ['nothing'] })],
      {
        'tools.0.mcp.tools.0': expect.stringContaining('no tool'),
      },
    ],
    [
      'with a header of the protocol',
      () => [shop({ headers: { 'Mcp-Session-Id': 'x' } })],
      {
        'tools.0.mcp.headers.Mcp-Session-Id': expect.any(String),
      },
    ],
  ])('are refused %s', async (_, tools, errors) => {
    expect(errorsOf(await create(tools()))).toEqual(errors);
  });

  it('get their headers only at the host for which they were given', async () => {
    const { id } = (await create([shop({ headers: { Authorization: SECRET } })])).body.data as { id: number };
    const moved = await send('patch', `${AGENTS}/${id}`, {
      tools: [shop({ url: `http://localhost:${peer.port}/mcp` })],
    });
    expect(errorsOf(moved)).toEqual({ 'tools.0.mcp.headers': expect.stringContaining('anew') });
  });
});
