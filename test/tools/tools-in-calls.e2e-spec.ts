import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { aToken, type Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { aListedTool, McpPeer } from '../support/mcp-peer.js';
import { Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookSink } from '../support/webhook-sink.js';

const REFUSED = { error: { code: 'invalid_arguments', message: 'order: must be integer.' } };

interface PostCall {
  transcript: { role: string; text: string }[];
  tool_calls: { name: string; ok: boolean; arguments: unknown; result: unknown; invocation_id?: string }[];
  knowledge_searches: { query: string; error: unknown; results: { title: string; text: string }[] }[];
}

const service = Service.get();
let shop: WebhookReceiver;
let sink: WebhookSink;
let peer: McpPeer;
let own: Workspace;
let other: Workspace;
let secret: string;
let call: LiveCall;
let postCall: PostCall;

const send = async (method: 'get' | 'post' | 'patch', path: string, body?: object, token = own.token) => {
  const answer = await service.as(token)[method](`/api/v1${path}`).send(body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data;
};
const lines = ({ transcript }: PostCall): string[] =>
  transcript.filter(({ role }) => role === 'agent').map(({ text }) => text);
const ended = async (id: string): Promise<PostCall> => {
  await sink.until(() => sink.eventsOf(id).includes('ended'));
  return sink.of(id).find(({ body }) => body.event === 'ended')!.body.data as unknown as PostCall;
};

const FIND_ORDER = () => ({
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  webhook_actions: [
    {
      name: 'lookup',
      url: `${shop.url('/orders/{{args.order}}')}?tier={{metadata.tier}}`,
      payload: {
        order: '{{args.order}}',
        to: 'at {{call.to_number}}',
        by: '{{agent.name}}',
        none: '{{metadata.none}}',
      },
      headers: { 'X-Api-Key': { value: 'open-sesame', secret: true } },
    },
    { name: 'note', url: shop.url('/note'), wait_response: false },
  ],
});

/** The user presses 1; the agent reads its knowledge, calls the tool with wrong arguments, then with right ones, and says the result. */
const SCRIPT = {
  rules: [
    { on: { digits: '1' }, search: 'How long can goods be returned?' },
    { on: { tool: 'search_knowledge_base' }, call: { tool: 'find_order', arguments: { order: 'a lot' } } },
    { on: { tool: 'find_order', failed: true }, call: { tool: 'find_order', arguments: { order: 4711 } } },
    { on: { tool: 'find_order', failed: false }, say: 'It is {{result.lookup.status}}.', hang_up: true },
  ],
};

beforeAll(async () => {
  [shop, sink, peer] = await Promise.all([WebhookReceiver.start(), WebhookSink.start(), McpPeer.start()]);
  [own, other] = await Promise.all([service.account(), service.account()]);
  shop.answer = ({ path }, response) => {
    const failed = path === '/fails';
    response.writeHead(failed ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(failed ? { error: 'closed' } : { status: 'shipped' }));
  };
  ({ secret } = await send('post', '/webhook-secrets/rotate', {}));
  const post_call_webhook = { url: sink.url };
  await send('patch', `/agents/${own.agentId}`, { name: 'Clerk', greeting: 'Hi.', script: SCRIPT, post_call_webhook });
  await send('post', `/agents/${own.agentId}/tools`, FIND_ORDER());
  const knowledge = { title: 'Terms', source_type: 'text', content: 'Goods can be returned within 30 days.' };
  await send('post', `/agents/${own.agentId}/knowledge-bases`, knowledge);
  call = await LiveCall.place(service, own, 'press_1', { metadata: { tier: 'gold' } });
  postCall = await ended(call.id);
});
afterAll(async () => {
  await Promise.all([service.close(), shop?.close(), sink?.close(), peer?.close()]);
});

describe('an agent with knowledge and a tool in a call', () => {
  it('searches its knowledge, calls the tool, and says the result of the endpoint', () => {
    expect(lines(postCall).at(-1)).toBe('It is shipped.');
    expect(postCall.knowledge_searches).toMatchObject([
      { error: null, results: [{ title: 'Terms', text: 'Goods can be returned within 30 days.' }] },
    ]);
    expect(postCall.tool_calls.map(({ name, ok }) => [name, ok])).toEqual([
      ['search_knowledge_base', true],
      ['find_order', false],
      ['find_order', true],
      ['end_call', true],
    ]);
  });

  it('sends one signed request with the values of arguments, call, agent and metadata', () => {
    const requests = shop.received.filter(({ path }) => path.startsWith('/orders/'));
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect([request!.method, request!.path, [...request!.query]]).toEqual(['POST', '/orders/4711', [['tier', 'gold']]]);
    expect(new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)).toEqual({
      order: 4711,
      to: `at sip:press_1@127.0.0.1:${service.sandboxPort}`,
      by: 'Clerk',
      none: null,
    });
    expect(request!.headers).toMatchObject({
      'x-api-key': 'open-sesame',
      'idempotency-key': request!.headers['webhook-id'],
    });
  });

  it('gets wrong arguments back with the reason, and no request is sent', () => {
    const [, refused] = postCall.tool_calls;
    expect(refused).toMatchObject({
      arguments: { order: 'a lot' },
      result: { error: { code: 'invalid_arguments', problems: [expect.stringMatching(/^order\b.*integer/)] } },
    });
  });

  it('lists its tool calls with each request, without the values of secret headers', async () => {
    const isDelivered = (told: { actions: { outcome: string }[] }[]) => told[1]?.actions[1]?.outcome === 'succeeded';
    const told = await eventually(() => send('get', `/calls/${call.id}/tool-calls`), isDelivered);
    expect(told).toMatchObject([
      { tool: 'find_order', source: 'call', ok: false, arguments: { order: 'a lot' }, actions: [], result: REFUSED },
      {
        invocation_id: postCall.tool_calls[2]!.invocation_id,
        ok: true,
        result: { lookup: { status: 'shipped' }, note: { queued: true } },
        actions: [
          {
            name: 'lookup',
            url: shop.url('/orders/4711'),
            attempts: [
              {
                attempt: 1,
                status: 200,
                answer: '{"status":"shipped"}',
                request_headers: { 'x-api-key': '[redacted]' },
              },
            ],
          },
          { name: 'note', attempts: [{ status: 200 }] },
        ],
      },
    ]);
    const note = shop.received.find(({ path }) => path === '/note');
    expect(JSON.parse(note!.body)).toEqual({
      ...{ tool: 'find_order', arguments: { order: 4711 } },
      ...{ call_id: call.id, agent_id: own.agentId },
    });
  });

  it('appears in the list of invocations, newest first, which other accounts and tokens without the scope cannot read', async () => {
    const listed = await send('get', `/tool-invocations?call_id=${call.id}`);
    expect(listed.map(({ tool, state, source }: Record<string, unknown>) => [tool, state, source])).toEqual([
      ['find_order', 'succeeded', 'call'],
      ['find_order', 'failed', 'call'],
    ]);
    const id = listed[0].invocation_id as string;
    expect(await send('get', `/tool-invocations/${id}`)).toMatchObject({ call_id: call.id, agent_id: own.agentId });
    expect(await send('get', '/tool-invocations', undefined, other.token)).toEqual([]);
    for (const path of [`/tool-invocations/${id}`, `/calls/${call.id}/tool-calls`])
      expect((await service.as(other.token).get(`/api/v1${path}`)).status).toBe(404);
    const token = await aToken(service.pool, own.accountId, ['agents:read']);
    expect((await service.as(token).get('/api/v1/tool-invocations')).status).toBe(403);
  });
});

describe('a pipeline agent without keys, whose vendors the sandbox plays', () => {
  it('hears the words of the user, uses the tool of an MCP server, and goes on when a tool fails', async () => {
    const caller = await service.account();
    peer.tools = [aListedTool()];
    peer.call = (_, { order }) => ({ content: [], structuredContent: { status: `packed as ${String(order)}` } });
    const script = {
      legs: { hears: ['Where is my order?'] },
      rules: [
        { on: { text: 'order' }, call: { tool: 'pay', arguments: {} } },
        { on: { tool: 'pay', failed: true }, call: { tool: 'find_order', arguments: { order: 12 } } },
        { on: { tool: 'find_order' }, say: 'It is {{result.structured_content.status}}.', hang_up: true },
      ],
    };
    const agent = `/agents/${caller.agentId}`;
    await send('post', '/webhook-secrets/rotate', {}, caller.token);
    const post_call_webhook = { url: sink.url };
    await send('patch', agent, { provider: 'pipeline', greeting: 'Hi.', script, post_call_webhook }, caller.token);
    const server = { name: 'shop', url: peer.url(), headers: { Authorization: 'Bearer s-1' } };
    await send('post', `${agent}/mcp-servers`, server, caller.token);
    const webhook_actions = [{ name: 'charge', url: shop.url('/fails') }];
    await send('post', `${agent}/tools`, { name: 'pay', description: 'Pays.', webhook_actions }, caller.token);
    const live = await LiveCall.place(service, caller, 'answer');
    const told = await ended(live.id);
    // On a busy machine the agent fills the silence after 2.4 s.
    const said = told.transcript.filter(({ text }) => text !== 'One moment, please.');
    expect(said.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'agent: Hi.',
      'callee: Where is my order?',
      'agent: It is packed as 12.',
    ]);
    expect(told.tool_calls).toMatchObject([
      { name: 'pay', ok: false, result: { charge: { error: { code: 'http_error', status: 503 } } } },
      { name: 'find_order', ok: true, result: { structured_content: { status: 'packed as 12' } } },
      { name: 'end_call', ok: true },
    ]);
    expect(peer.of('tools/call')).toMatchObject([
      { headers: { authorization: 'Bearer s-1' }, params: { _meta: { 'trunkline/conversation_id': live.id } } },
    ]);
    const stored = await send('get', `/calls/${live.id}/tool-calls`, undefined, caller.token);
    expect(stored).toMatchObject([
      { tool: 'pay' },
      {
        ...{ tool: 'find_order', source: 'call' },
        actions: [
          { name: 'findOrder', url: peer.url(), attempts: [{ request_headers: { authorization: '[redacted]' } }] },
        ],
      },
    ]);
    await peer.until(() => peer.openSessions === 0);
    expect(await live.read()).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
  });
});

it('an assistant places a call over /mcp, follows it and reads what was said', async () => {
  const caller = await service.account();
  const script = { rules: [{ on: { digits: '1' }, say: 'It is shipped.' }] };
  await send('patch', `/agents/${caller.agentId}`, { greeting: 'Hi.', script }, caller.token);
  const client = new Client({ name: 'assistant', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${caller.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), { requestInit }));
  await client.listTools();
  const use = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).structuredContent as {
      call: { call_id: string; status: string };
      turns: { text: string }[];
      complete: boolean;
    };
  const order = {
    ...{ to_number: `sip:press_1@127.0.0.1:${service.sandboxPort}`, agent_id: caller.agentId },
    ...{ number_id: caller.numberId, idempotency_key: 'order-4711' },
  };
  const { call_id: id } = (await use('place_call', order)).call;
  expect((await use('place_call', order)).call.call_id).toBe(id);
  const live = await LiveCall.follow(service, caller.token, id);
  await live.said(/shipped/);
  expect((await use('get_call', { call_id: id })).call.status).toBe('in_progress');
  await use('cancel_call', { call_id: id });
  await live.ended();
  expect((await use('get_call', { call_id: id })).call.status).toBe('completed');
  const { turns, complete } = await use('get_transcript', { call_id: id });
  expect([complete, turns.map(({ text }) => text)]).toEqual([true, expect.arrayContaining(['It is shipped.'])]);
  await client.close();
});
