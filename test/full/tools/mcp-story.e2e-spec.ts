import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Pool } from 'pg';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { aListedTool, McpPeer } from '../../support/mcp-peer.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const SCRIPT = {
  rules: [
    { on: { digits: '1' }, call: { tool: 'find_order', arguments: { order: 4711 } } },
    { on: { tool: 'find_order', failed: false }, say: 'Your order is {{result.structured_content.status}}.' },
    { on: { tool: 'find_order', failed: true }, say: 'The shop does not answer.' },
    { on: { text: 'order' }, call: { tool: 'find_order', arguments: { order: 4711 } } },
  ],
};

describe('MCP with real calls', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let peer: McpPeer;
  let phone: SandboxPhone;
  let database: Pool;
  let account: TestAccount;
  let api: ApiClient;

  beforeAll(async () => {
    [sink, peer] = await Promise.all([WebhookSink.start(), McpPeer.start()]);
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 28_200, max: 28_399 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log });
    stack = await Stack.start();
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    account = await createAccount(stack, { name: 'shop', webhookUrl: `${sink.url}/hook` });
    api = apiOf(stack, account);
    const options = JSON.stringify({ script: SCRIPT });
    await database.query('UPDATE agents SET provider_options = $2 WHERE id = $1', [account.agentId, options]);
    peer.tools = [aListedTool()];
    peer.call = (_, { order }) => ({ content: [], structuredContent: { status: `shipped as ${String(order)}` } });
    const params = { path: { agent_id: account.agentId } };
    const body = { name: 'shop', url: peer.url(), headers: { Authorization: 'Bearer s-1' } };
    await dataOf(api.POST('/api/v1/agents/{agent_id}/mcp-servers', { params, body }));
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await peer?.close();
  });

  const placed = async (): Promise<string> =>
    (await api.createCall({ to_number: `sip:press_1@127.0.0.1:${phone.port}` })).call_id;
  const said = (id: string, words: RegExp) =>
    eventOfCall(database, id, ({ type, data }) => type === 'turn' && words.test(String(data.text)));
  const toolCalls = (callId: string) =>
    dataOf(api.GET('/api/v1/calls/{callId}/tool-calls', { params: { path: { callId } } }));

  it('an agent uses the tool of an MCP server in a call, in a session that ends with the call; the call records it', async () => {
    const id = await placed();
    await said(id, /shipped as 4711/);
    expect(peer.openSessions).toBe(1);
    await api.cancel(id);
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    await peer.until(() => peer.openSessions === 0);
    const result = { structured_content: { status: 'shipped as 4711' } };
    const shared = { ok: true, arguments: { order: 4711 }, result };
    const told = sink.of(id).at(-1)!.body.data;
    const action = { name: 'findOrder', outcome: 'succeeded', status: 200, error: null };
    expect(told['tool_calls']).toMatchObject([{ ...shared, name: 'find_order', actions: [action] }]);
    expect(await toolCalls(id)).toMatchObject([
      {
        ...shared,
        tool: 'find_order',
        source: 'call',
        actions: [
          {
            name: 'findOrder',
            url: peer.url(),
            attempts: [{ status: 200, request_headers: { authorization: '[redacted]' } }],
          },
        ],
      },
    ]);
    const meta = { 'trunkline/conversation_id': id };
    expect(peer.of('tools/call').at(-1)).toMatchObject({
      headers: { authorization: 'Bearer s-1' },
      params: { _meta: meta },
    });
  });

  it('a server that dies in the middle of a tool call leaves the call alive: the agent hears of it and goes on', async () => {
    const { port } = peer;
    const before = peer.of('tools/call').length;
    const { call } = peer;
    peer.call = () => new Promise(() => undefined);
    const id = await placed();
    await peer.until(() => peer.of('tools/call').length > before);
    await peer.close();
    await said(id, /does not answer/);
    await api.cancel(id);
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    expect(sink.of(id).at(-1)!.body.data).toMatchObject({ status: 'completed' });
    expect(await toolCalls(id)).toMatchObject([{ ok: false, result: { error: { code: 'connection_failed' } } }]);
    peer = Object.assign(await McpPeer.start({ port }), { tools: [aListedTool()], call });
  });

  it('a simulation uses the tool as well, and records it', async () => {
    const params = { path: { agent_id: account.agentId } };
    const steps = [{ says: 'Where is my order?', expects: 'shipped as 4711', calls: 'find_order' }];
    const body = { tools: 'live' as const, steps };
    const run = await dataOf(api.POST('/api/v1/agents/{agent_id}/simulations', { params, body }));
    expect(run.passed).toBe(true);
    expect(run.tool_calls).toMatchObject([{ name: 'find_order', ok: true }]);
  });

  it('an assistant places a call over /mcp, follows it and reads what was said', async () => {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${account.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', stack.baseUrl), { requestInit }));
    await client.listTools();
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return structuredContent as {
        call: { call_id: string; status: string };
        turns: { text: string }[];
        complete: boolean;
      };
    };
    const place = {
      to_number: `sip:press_1@127.0.0.1:${phone.port}`,
      agent_id: account.agentId,
      number_id: account.numberId,
      idempotency_key: 'order-4711',
    };
    const [first, retry] = [await call('place_call', place), await call('place_call', place)];
    const { call_id: id } = first.call;
    expect(retry.call.call_id).toBe(id);
    await said(id, /shipped as 4711/);
    expect((await call('get_call', { call_id: id })).call.status).toBe('in_progress');
    await call('cancel_call', { call_id: id });
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    expect((await call('get_call', { call_id: id })).call.status).toBe('completed');
    const { turns, complete } = await call('get_transcript', { call_id: id });
    expect([complete, turns.some(({ text }) => /shipped as 4711/.test(text))]).toEqual([true, true]);
    await client.close();
  });
});
