import { McpRefreshService } from './mcp/mcp-refresh.service.js';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { aListedTool, McpPeer } from '../../../test/support/mcp-peer.js';
import { InProcessApi } from '../../../test/support/in-process-api.js';

type View = Record<string, unknown> & { id: number };

let api: InProcessApi;
let own: Workspace;
let peer: McpPeer;
let servers: string;
let count = 0;

beforeAll(async () => {
  [api, peer] = await Promise.all([InProcessApi.start(), McpPeer.start()]);
  own = await aWorkspace(api.pool);
  servers = `/api/v1/agents/${own.agentId}/mcp-servers`;
});
afterAll(async () => {
  await api?.stop();
  await peer?.close();
});

const post = (path: string, body: object = {}) => api.as(own.token).post(path).send(body);
const read = async (id: number): Promise<View> => (await api.as(own.token).get(`${servers}/${id}`)).body.data as View;
const add = async (more: object = {}): Promise<View> => {
  const answer = await post(servers, { name: `shop_${(count += 1)}`, url: peer.url(), ...more });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data as View;
};
const refresh = async (id: number): Promise<View> => (await post(`${servers}/${id}/refresh`)).body.data as View;

it('a changed MCP server is found by the daily check, once; a server that is down is unreachable and keeps its tools', async () => {
  peer.tools = [aListedTool()];
  const { id } = await add();
  const lost = await add({ tools: [] });
  const service = api.app.get(McpRefreshService);
  const { pool } = api;
  const age = `UPDATE mcp_servers SET checked_at = now() - interval '25 hours' WHERE id = ANY ($1)`;
  await pool.query(age, [[id, lost.id]]);
  await pool.query('UPDATE mcp_servers SET url = $2 WHERE id = $1', [lost.id, 'http://127.0.0.1:1/mcp']);
  peer.tools = [];
  const listed = peer.of('tools/list').length;
  await Promise.all([service.refreshDue(), service.refreshDue()]);
  expect(peer.of('tools/list').length - listed).toBe(1);
  expect(await read(id)).toMatchObject({
    state: 'changed',
    changes: [{ change: 'removed' }],
  });
  const down = await read(lost.id);
  expect(down).toMatchObject({ state: 'unreachable', error: expect.stringContaining('refused') });
  await pool.query('UPDATE mcp_servers SET url = $2 WHERE id = $1', [lost.id, peer.url()]);
  peer.tools = [aListedTool()];
  expect(await refresh(lost.id)).toMatchObject({ state: 'connected', error: null });
  expect(await refresh(id)).toMatchObject({ state: 'connected', changes: [] });
});
