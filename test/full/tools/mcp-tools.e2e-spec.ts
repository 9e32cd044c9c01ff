import { newId } from '@app/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { McpPeer } from '../../support/mcp-peer.js';
import { RunningTools } from '../../support/running-tools.js';
import type { WebhookAccount } from '../../support/webhook-account.js';

const SECRET_HEADER = 'open-sesame-4711';
const INSIDE = '10.11.12.13';
const SCHEMA = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] };

let environment: RunningTools;
let account: WebhookAccount;
let peer: McpPeer;
let plain: McpPeer;

beforeAll(async () => {
  [environment, peer, plain] = await Promise.all([
    RunningTools.open(),
    McpPeer.start(),
    McpPeer.start({ asJson: true }),
  ]);
  account = await environment.webhooks.account();
});
afterEach(() => {
  for (const one of [peer, plain]) one.instead = () => undefined;
});
afterAll(async () => {
  await environment?.close();
  await Promise.all([peer?.close(), plain?.close()]);
});

async function callContext() {
  const id = await account.createCall();
  const call = { id, direction: 'outbound' as const, to_number: '+15550002222', from_number: '+15550001111' };
  return { accountId: account.id, call, toolCallId: `call_${id}`, conversationId: id };
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

describe('a tool of an MCP server that is invoked', () => {
  it.each([
    ['as a stream of events', () => peer],
    ['as JSON', () => plain],
  ])('answers %s, with evidence like a webhook action', async (_, of) => {
    const server = of();
    server.call = (name, args) => ({ content: [], structuredContent: { name, args } });
    const context = await callContext();
    const tool = environment.mcpTool(
      { url: `${server.url()}?key=k-1`, headers: { Authorization: SECRET_HEADER } },
      SCHEMA,
    );
    const run = await environment.run(tool, { order: 4711 }, context);
    const result = { structured_content: { name: 'findOrder', args: { order: 4711 } } };
    expect(run).toMatchObject({ ok: true, result });
    const [request] = server.of('tools/call').slice(-1);
    expect(request).toMatchObject({
      headers: { authorization: SECRET_HEADER },
      params: { _meta: { 'trunkline/invocation_id': run.invocationId, 'trunkline/conversation_id': context.call.id } },
    });
    const [told] = await environment.invocations.ofCall(account.id, context.call.id);
    expect(told).toMatchObject({
      invocation_id: run.invocationId,
      source: 'call',
      ok: true,
      result,
      arguments: { order: 4711 },
    });
    expect(told!.actions).toEqual([
      {
        id: run.actions[0]!.id,
        name: 'findOrder',
        method: 'POST',
        url: server.url(),
        outcome: 'succeeded',
        error: null,
        attempts: [
          {
            attempt: 1,
            at: expect.any(String),
            status: 200,
            latency_ms: run.actions[0]!.latencyMs,
            error: null,
            answer: JSON.stringify(result),
            request_headers: { authorization: '[redacted]' },
          },
        ],
      },
    ]);
    const stranger = await environment.webhooks.account();
    expect(await environment.invocations.ofCall(stranger.id, context.call.id)).toEqual([]);
    environment.endConversation(context.call.id);
  });

  it('shares one session with the others of its conversation, which is closed with the conversation', async () => {
    peer.call = (_, args) => text(JSON.stringify(args));
    const open = peer.openSessions;
    const [one, other] = [await callContext(), await callContext()];
    const tool = environment.mcpTool({ url: peer.url() });
    const initialised = peer.of('initialize').length;
    const both = [environment.run(tool, { n: 1 }, one), environment.run(tool, { n: 2 }, one)];
    expect((await Promise.all(both)).map(({ result }) => result)).toEqual([{ text: '{"n":1}' }, { text: '{"n":2}' }]);
    await environment.run(tool, {}, other);
    expect(peer.of('initialize').length - initialised).toBe(2);
    expect(peer.openSessions - open).toBe(2);
    environment.endConversation(one.call.id);
    await peer.until(() => peer.openSessions - open === 1);
    peer.forgetSessions();
    expect(await environment.run(tool, { n: 3 }, other)).toMatchObject({ ok: true, result: { text: '{"n":3}' } });
    environment.endConversation(other.call.id);
    // An invocation by itself leaves no session behind.
    expect(await environment.run(tool, {}, { accountId: account.id, source: 'invoke' })).toMatchObject({ ok: true });
    await peer.until(() => peer.openSessions === 0);
  });

  it('reads no notification stream, and asks for no list', async () => {
    await environment.run(environment.mcpTool({ url: peer.url() }), {}, await callContext());
    expect(peer.received.filter(({ httpMethod }) => httpMethod === 'GET')).toEqual([]);
    expect(peer.of('tools/list')).toEqual([]);
  });
});

describe('a result of an MCP server', () => {
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
  it.each<[string, CallToolResult, object]>([
    ['with several texts', { content: [...text('a').content, ...text('b').content] }, { text: 'a\nb' }],
    [
      'with images',
      { content: [image, ...text('a').content, image] },
      { text: 'a', notes: ['2 image items were dropped.'] },
    ],
    [
      'with a file',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'in it' } }] },
      { text: 'in it' },
    ],
    [
      'with a link',
      { content: [{ type: 'resource_link', uri: 'https://example.com', name: 'a' }] },
      { text: 'a: https://example.com' },
    ],
    [
      'with text beside the structure',
      { ...text('{"a":1}'), structuredContent: { a: 1 } },
      { structured_content: { a: 1 } },
    ],
    ['that is empty', { content: [] }, { text: '' }],
    [
      'that is an error',
      { ...text('No such order.'), isError: true },
      { error: { code: 'tool_error', message: 'No such order.' } },
    ],
    ['with characters that PostgreSQL cannot store', text('a\0b'), { text: 'a\ufffdb' }],
    [
      'that is longer than the model should read',
      text('x'.repeat(20_000)),
      { text: { truncated: true, text: expect.stringMatching(/^x{7000}/) } },
    ],
  ])('%s becomes a short result for the model', async (_, result, expected) => {
    peer.call = () => result;
    const run = await environment.run(environment.mcpTool({ url: peer.url() }), {}, await callContext());
    expect(run.result).toEqual(expected);
    expect(JSON.stringify(run.result).length).toBeLessThanOrEqual(8_000);
  });
});

describe('an MCP server', () => {
  type Instead = ReturnType<McpPeer['instead']>;
  const json = { 'content-type': 'application/json' };
  const events = { 'content-type': 'text/event-stream' };
  const idOf = (message: unknown) => (message as { id: number }).id;
  it.each<[string, Instead | string, object]>([
    ['that hangs', () => undefined, { code: 'timeout' }],
    [
      'that answers with an error',
      (_, response) => response.writeHead(503).end('down'),
      { code: 'http_error', status: 503 },
    ],
    [
      'that redirects inside',
      (_, response) => response.writeHead(307, { location: `http://${INSIDE}/` }).end(),
      { code: 'http_error', status: 307 },
    ],
    [
      'that answers invalid JSON',
      (_, response) => response.writeHead(200, json).end('{"jso'),
      { code: 'protocol_error' },
    ],
    [
      'that answers a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      { code: 'protocol_error' },
    ],
    [
      'that answers 5 MB',
      (_, response, message) =>
        response
          .writeHead(200, json)
          .end(JSON.stringify({ jsonrpc: '2.0', id: idOf(message), result: text('x'.repeat(5_000_000)) })),
      { code: 'answer_too_large' },
    ],
    [
      'that streams 5 MB',
      (_, response) => response.writeHead(200, events).end(`data: ${'x'.repeat(5_000_000)}\n\n`),
      { code: 'answer_too_large' },
    ],
    [
      'that streams garbage',
      (_, response) => response.writeHead(200, events).end('data: {"a":1}\n\n'),
      { code: 'connection_failed' },
    ],
    [
      'that closes the stream early',
      (_, response) => response.writeHead(200, events).write('event: message\n', () => response.destroy()),
      { code: 'connection_failed' },
    ],
    ['that closes the connection', (request) => request.socket.destroy(), { code: 'connection_failed' }],
    [
      'that drips',
      (_, response) => {
        response.writeHead(200, events);
        const timer = setInterval(() => response.write(': hi\n\n'), 20);
        response.on('close', () => clearInterval(timer));
      },
      { code: 'timeout' },
    ],
    [
      'that answers with a JSON-RPC error',
      (_, response, message) =>
        response
          .writeHead(200, json)
          .end(JSON.stringify({ jsonrpc: '2.0', id: idOf(message), error: { code: -32602, message: 'Unknown tool' } })),
      { code: 'tool_error', message: 'The MCP server answered with error -32602: Unknown tool' },
    ],
    [
      'that nests its result a thousand levels deep',
      (_, response, message) => {
        const deep = `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`;
        response
          .writeHead(200, json)
          .end(`{"jsonrpc":"2.0","id":${idOf(message)},"result":{"content":[],"structuredContent":${deep}}}`);
      },
      { code: 'unreadable_answer' },
    ],
    ['at an internal address', `http://${INSIDE}:8080/mcp`, { code: 'blocked_address' }],
    ['whose name resolves to an internal address', 'http://inside.example.com/mcp', { code: 'blocked_address' }],
    ['that does not listen', 'http://hooks.example.com:1/mcp', { code: 'connection_failed' }],
  ])('%s is a structured result, and nothing leaks', async (_, answer, expected) => {
    const context = await callContext();
    const logged = environment.webhooks.logs.lines.length;
    if (typeof answer !== 'string') peer.instead = (__, method) => (method === 'tools/call' ? answer : undefined);
    const url = typeof answer === 'string' ? answer : peer.url();
    const tool = environment.mcpTool({ url, headers: { 'X-Api-Key': SECRET_HEADER } });
    const run = await environment.run(tool, {}, context);
    expect(run).toMatchObject({ ok: false, result: { error: expected } });
    const [told] = await environment.invocations.ofCall(account.id, context.call.id);
    expect(told).toMatchObject({ ok: false, actions: [{ outcome: 'failed', error: expected }] });
    const seen = JSON.stringify([
      run.result,
      told!.actions.map(({ url: _url, ...rest }) => rest),
      environment.webhooks.logs.lines.slice(logged),
    ]);
    expect(seen).not.toContain(INSIDE);
    expect(seen).not.toContain('127.0.0.1');
    expect(seen).not.toContain(SECRET_HEADER);
    environment.endConversation(context.call.id);
  });

  it('that hangs delays neither other accounts nor other servers, and is aborted with the call', async () => {
    const started = peer.of('tools/call').length;
    peer.instead = (_, method) => (method === 'tools/call' ? () => undefined : undefined);
    const other = await environment.webhooks.account();
    const over = new AbortController();
    const hanging = Array.from({ length: 40 }, () =>
      environment.run(
        environment.mcpTool({ url: peer.url(), timeoutMs: 20_000 }),
        {},
        { accountId: account.id, conversationId: newId() },
        over.signal,
      ),
    );
    await peer.until(() => peer.of('tools/call').length - started === 32);
    plain.call = () => text('quick');
    const quick = { url: plain.url(), timeoutMs: 5_000 };
    for (const accountId of [account.id, other.id])
      expect(await environment.run(environment.mcpTool(quick), {}, { accountId })).toMatchObject({ ok: true });
    over.abort();
    for (const { result } of await Promise.all(hanging)) expect(result).toMatchObject({ error: { code: 'aborted' } });
  });

  it.each([
    ['with a stream of events', false],
    ['with JSON', true],
  ])('that dies while it works fails at once and is not asked again, answering %s', async (_, asJson) => {
    const dying = await McpPeer.start({ asJson });
    dying.call = () => new Promise(() => undefined);
    const tool = environment.mcpTool({ url: dying.url(), timeoutMs: 20_000 });
    const running = environment.run(tool, {}, await callContext());
    await dying.until(() => dying.of('tools/call').length === 1);
    const { port } = dying;
    await dying.close();
    const next = await McpPeer.start({ asJson, port });
    expect((await running).result).toMatchObject({ error: { code: 'connection_failed' } });
    expect(next.of('tools/call')).toEqual([]);
    await next.close();
  });

  it('cannot make the service call back into the conversation: its requests are refused', async () => {
    const answers: unknown[] = [];
    peer.instead = (_, method) => {
      if (method !== 'tools/call' && method !== undefined) return undefined;
      return (__, response, message) => {
        if (method === undefined) {
          answers.push(message);
          response.writeHead(202).end();
          return;
        }
        response.writeHead(200, events);
        const asked = {
          jsonrpc: '2.0',
          id: 's-1',
          method: 'sampling/createMessage',
          params: { messages: [], maxTokens: 5 },
        };
        const result = { jsonrpc: '2.0', id: idOf(message), result: text('done') };
        response.write(`data: ${JSON.stringify(asked)}\n\n`);
        response.end(`data: ${JSON.stringify(result)}\n\n`);
      };
    };
    const run = await environment.run(environment.mcpTool({ url: peer.url() }), {}, await callContext());
    expect(run).toMatchObject({ ok: true, result: { text: 'done' } });
    await peer.until(() => answers.length > 0);
    expect(answers).toEqual([expect.objectContaining({ id: 's-1', error: expect.objectContaining({ code: -32601 }) })]);
  });
});
