import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Response } from 'supertest';
import { aListedTool, McpPeer } from '../../support/mcp-peer.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';
import { errorsOf, ToolsEnvironment } from '../../support/tools-environment.js';

const SECRET = 'Bearer open-sesame-4712';
const AGENTS = '/api/v1/agents';

let environment: ToolsEnvironment;
let peer: McpPeer;
let folder: string;
let count = 0;

beforeAll(async () => {
  [environment, peer] = await Promise.all([ToolsEnvironment.open(), McpPeer.start()]);
  folder = await mkdtemp(join(tmpdir(), 'trunkline-mcp-lists-'));
});
afterEach(() => {
  peer.tools = [];
  peer.received.length = 0;
  peer.instead = () => undefined;
});
afterAll(async () => {
  await environment?.close();
  await peer?.close();
  await rm(folder, { recursive: true, force: true });
});

const send = (method: 'post' | 'patch', path: string, body: object): Promise<Response> =>
  Promise.resolve(environment.api.as(environment.own.token)[method](path).send(body));
const create = (tools: object[], more: object = {}) =>
  send('post', AGENTS, { name: `With tools ${(count += 1)}`, tools, ...more });
const serversOf = async (id: number) =>
  (await environment.get(`${AGENTS}/${id}/mcp-servers`)).body.data as ({
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
    const tools = (await environment.get(`${AGENTS}/${id}/tools`)).body.data as { name: string }[];
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
    expect((await environment.get(`${AGENTS}/${agent.id}`)).body.data).toMatchObject({ greeting: '' });
    expect((await environment.get(`${AGENTS}?per_page=100`)).text).not.toContain(name);
  });

  it('are not added twice by a repetition with the same Idempotency-Key, which needs no server', async () => {
    peer.tools = [aListedTool()];
    const body = { name: `Once ${(count += 1)}`, tools: [shop()] };
    const post = () =>
      environment.api.as(environment.own.token).post(AGENTS).set('Idempotency-Key', `list-${count}`).send(body);
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

describe('the MCP servers of a workspace file', () => {
  const trunkline = (...words: string[]): Promise<CommandOutput> =>
    runCommand(words, {
      DATABASE_URL: environment.api.databaseUrl,
      QUEUE_URL: '',
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      TRUNKLINE_HOME: folder,
    });
  const apply = async (tools: object[], ...flags: string[]) => {
    const path = join(folder, 'workspace.json');
    await writeFile(path, JSON.stringify({ accounts: [{ name: 'lists', agents: [{ name: 'Desk', tools }] }] }));
    return trunkline('apply', '-f', path, ...flags);
  };
  const stored = async (): Promise<string[]> => {
    const text = `SELECT s.name FROM mcp_servers s JOIN accounts a ON a.id = s.account_id WHERE a.name = 'lists' ORDER BY s.id`;
    return (await environment.api.pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
  };

  it('are shown by a dry run, applied, exported without secret headers, and unchanged when the export is applied', async () => {
    peer.tools = [aListedTool()];
    const tools = [shop({ headers: { Authorization: SECRET }, timeout_seconds: 20 })];
    const plan = await apply(tools, '--dry-run');
    expect([plan.code, plan.stdout, plan.stderr]).toEqual([
      0,
      expect.stringContaining('    tools: [{"name":"shop"'),
      '',
    ]);
    expect([plan.stdout.includes('open-sesame'), await stored()]).toEqual([false, []]);
    const first = await apply(tools, '--json');
    expect([first.code, first.stdout.includes('open-sesame'), await stored()]).toEqual([0, false, ['shop']]);

    const { stdout: exported } = await trunkline('export', '--account', 'lists');
    expect(exported).toContain(`url: ${peer.url()}`);
    expect(exported).toContain('the mcp server shop has headers with a secret');
    expect(exported).not.toMatch(/open-sesame|headers:/);
    refused();
    await writeFile(join(folder, 'exported.yaml'), exported);
    const again = await trunkline('apply', '-f', join(folder, 'exported.yaml'), '--dry-run');
    expect([again.stdout, again.stderr]).toEqual(['Nothing would change.\n', '']);

    const lost = await apply([...tools, { mcp: { name: 'other', url: peer.url('/other') } }]);
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringMatching(/workspace\.json:1: accounts\[0\]\.agents\[0\]\.tools\[1\]\.mcp\.url .*status 500/),
    ]);
    const none = await apply([]);
    expect([none.code, await stored()]).toEqual([0, []]);
  });
});
