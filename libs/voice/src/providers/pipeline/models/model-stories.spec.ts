import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { readScript, SandboxServer } from '@app/sandbox';
import { answerOf, asked, modelOf, VENDORS } from '../../../../test/model-answers.js';
import { speech } from '../../../../test/test-call.js';
import { keysPressed } from '../../realtime-wording.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { GenerationRequest } from '../ports.js';

const STORY = 'Once upon a time there was a pot of tea. Grüße aus Zürich, 你好世界. '.repeat(8).trim();
const RULES = [
  { on: { text: 'weather' }, say: 'Let me look.', call: { tool: 'get_weather', arguments: { city: 'Oslo' } } },
  {
    on: { text: 'both' },
    call: [
      { tool: 'get_weather', arguments: { city: 'Oslo' } },
      { tool: 'get_time', arguments: { zone: { name: 'Europe/Oslo', dst: [true, null] } } },
    ],
  },
  { on: { tool: 'get_weather', failed: true }, say: 'The weather did not answer.' },
  { on: { tool: 'get_weather' }, say: 'The sky over {{result.city}} is {{result.sky}}.' },
  { on: { tool: 'get_time' }, say: 'It is {{result}}.' },
  { on: { text: 'story' }, say: STORY },
  { on: { digits: '12' }, say: 'You chose 12.' },
  { on: { speech: 2 }, say: 'Once more?' },
];
const TOOLS: GenerationRequest['tools'] = [
  {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  {
    name: 'get_time',
    description: 'The time.',
    parameters: { type: 'object', properties: { zone: { type: 'object', properties: { name: { type: 'string' } } } } },
  },
  { name: 'end_call', description: 'Ends the call.', parameters: { type: 'object', properties: {} } },
];

const servers: SandboxServer[] = [];
const proxies: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const proxy of proxies.splice(0)) proxy.close();
});

async function aServer(faults: object[] = []): Promise<SandboxServer> {
  const server = await SandboxServer.start({
    speech,
    script: readScript({ agent: { name: 'Ada' }, rules: RULES, legs: { model: faults } }),
  });
  servers.push(server);
  return server;
}

describe.each(VENDORS)('a model of %s', (vendor) => {
  it('answers in small parts, and reports its tokens', async () => {
    const model = await modelOf(vendor, await aServer());
    // Of a server that may begin with thoughts, the first answer arrives as a whole.
    expect((await answerOf(model, asked('Tell me a story.'))).text).toBe(STORY);
    const { text, parts, usage, error } = await answerOf(model, asked('Tell me a story.'));
    expect(error).toBeUndefined();
    expect(text).toBe(STORY);
    expect(parts).toBeGreaterThan(20);
    expect(model.name).toBe(`${vendor}:sandbox`);
    expect(usage).toEqual([
      { kind: 'input_text_tokens', quantity: 0.007, unit: 'thousand_tokens', source: model.name },
      {
        kind: 'output_text_tokens',
        quantity: Math.ceil(STORY.length / 4) / 1000,
        unit: 'thousand_tokens',
        source: model.name,
      },
    ]);
  });

  it('reports tokens of a long conversation that the vendor had cached', async () => {
    const model = await modelOf(vendor, await aServer());
    const { usage } = await answerOf(model, {
      instructions: 'You sell tea. '.repeat(60),
      messages: [
        { role: 'user', text: 'Hello.' },
        { role: 'assistant', text: 'Hello, what may I do for you?' },
        { role: 'user', text: 'Tell me a story.' },
      ],
      tools: [],
    });
    const quantity = (kind: string): number => usage.find((item) => item.kind === kind)?.quantity ?? 0;
    expect(quantity('cached_text_tokens')).toBe(0.192);
    expect(quantity('input_text_tokens')).toBeCloseTo((60 * 14 + 6 + 29 + 16) / 4000 - 0.192, 2);
  });

  it('calls a tool, and answers with its result', async () => {
    const model = await modelOf(vendor, await aServer());
    const question = asked('How is the weather?', { tools: TOOLS });
    const first = await answerOf(model, question);
    expect(first.text.trim()).toBe('Let me look.');
    expect(first.calls).toEqual([
      { type: 'tool_call', id: expect.any(String), name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ]);
    const [{ id, name }] = first.calls as [(typeof first.calls)[0]];
    const messages: GenerationRequest['messages'] = [
      ...question.messages,
      { role: 'assistant', text: first.text, toolCalls: first.calls },
      { role: 'tool_results', results: [{ id, name, result: '{"city":"Oslo","sky":"blue"}' }] },
    ];
    const second = await answerOf(model, { ...question, messages });
    expect([second.text, second.error]).toEqual(['The sky over Oslo is blue.', undefined]);
    // Another connection, as after a fallback: it knows nothing of the call but the messages.
    const other = await answerOf(await modelOf(vendor, await aServer()), { ...question, messages, tools: [] });
    expect([other.text, other.error]).toEqual(['The sky over Oslo is blue.', undefined]);
  });

  it('calls several tools in one answer, and reads failed results and results that are not JSON', async () => {
    const model = await modelOf(vendor, await aServer());
    const question = asked('I want both.', { tools: TOOLS });
    const { calls, text } = await answerOf(model, question);
    expect(text).toBe('');
    expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['get_weather', { city: 'Oslo' }],
      ['get_time', { zone: { name: 'Europe/Oslo', dst: [true, null] } }],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const answered = (...results: string[]): GenerationRequest => ({
      ...question,
      messages: [
        ...question.messages,
        { role: 'assistant', text: '', toolCalls: calls },
        { role: 'tool_results', results: calls.map(({ id, name }, n) => ({ id, name, result: results[n]! })) },
      ],
    });
    expect((await answerOf(model, answered('{}', 'half past two'))).text).toBe('It is half past two.');
    const one = { ...answered('{"error":"down"}'), messages: answered('{"error":"down"}', '1').messages.slice(0, 2) };
    const failed = { id: calls[0]!.id, name: 'get_weather', result: '{"error":"down"}' };
    const only: GenerationRequest['messages'] = [
      ...one.messages.slice(0, 1),
      { role: 'assistant', text: '', toolCalls: calls.slice(0, 1) },
      { role: 'tool_results', results: [failed] },
    ];
    expect((await answerOf(model, { ...question, messages: only })).text).toBe('The weather did not answer.');
  });

  it.each<[string, GenerationRequest['messages'], string]>([
    ['an empty conversation', [], 'Hello, this is Ada.'],
    [
      'keys',
      [
        { role: 'assistant', text: 'Welcome.' },
        { role: 'user', text: keysPressed('12') },
      ],
      'You chose 12.',
    ],
    [
      'texts without words, and a conversation that begins with the agent',
      [
        { role: 'assistant', text: 'Welcome.' },
        { role: 'user', text: '' },
        { role: 'user', text: '[speech 1.0 s]' },
        { role: 'assistant', text: '' },
        { role: 'assistant', text: 'Well. [interrupted]' },
        { role: 'system', text: 'Thirty seconds are left.' },
        { role: 'user', text: '[speech 1.0 s]' },
      ],
      'Once more?',
    ],
    [
      'a call that was interrupted before its result',
      [
        { role: 'user', text: 'Weather' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'a b/c', name: 'get_weather', arguments: 'no JSON' }] },
        { role: 'user', text: 'A story, please' },
      ],
      STORY,
    ],
    [
      'a result of a call on another connection',
      [{ role: 'tool_results', results: [{ id: 'x', name: 'get_time', result: '7' }] }],
      'It is 7.',
    ],
  ])('accepts %s', async (_, messages, expected) => {
    const model = await modelOf(vendor, await aServer());
    const { text, error } = await answerOf(model, asked('', { messages }));
    expect([error, text]).toEqual([undefined, expected]);
  });

  it('an aborted answer ends without an error, and its request is cancelled', async () => {
    const server = await aServer([{ do: 'stall', after: 5, in_request: 2 }]);
    const proxy = await counting(server);
    const model = await modelOf(vendor, { port: proxy.port, key: server.key });
    await answerOf(model, asked('Tell me a story.'));
    const stop = new AbortController();
    const closed = proxy.closed();
    const { text, error } = await answerOf(model, asked('Tell me a story.'), {
      signal: stop.signal,
      onText: (all) => all.startsWith('Once upon a time') && stop.abort(),
    });
    expect([text, error]).toEqual([expect.stringMatching(/^Once upon a time/), undefined]);
    await closed;
    expect(proxy.open()).toBe(0);
  });

  it('an answer that the reader leaves is cancelled, and an aborted signal sends no request', async () => {
    const server = await aServer([{ do: 'stall', after: 3 }]);
    const proxy = await counting(server);
    const model = await modelOf(vendor, { port: proxy.port, key: server.key });
    expect(await answerOf(model, asked('A story'), { signal: AbortSignal.abort() })).toMatchObject({ text: '' });
    expect(proxy.total()).toBe(0);
    const closed = proxy.closed();
    for await (const _ of model.generate(asked('A story'), new AbortController().signal)) break;
    await closed;
    expect(proxy.open()).toBe(0);
  });

  it('keeps its connection between two turns, and opens it ahead', async () => {
    const server = await aServer();
    const proxy = await counting(server);
    const model = await modelOf(vendor, { port: proxy.port, key: server.key });
    await model.prepare!(new AbortController().signal);
    expect(proxy.total()).toBe(1);
    for (let turn = 0; turn < 3; turn++) await answerOf(model, asked('A story'));
    expect(proxy.total()).toBe(1);
  });

  it.each([
    [{ do: 'refuse', status: 401 }, ProviderUnavailable, 'key'],
    [{ do: 'refuse', status: 400 }, ProviderUnavailable, 'rejected the connection (HTTP 400)'],
    [{ do: 'refuse', status: 500 }, Error, 'overloaded or broken (HTTP 500)'],
    [{ do: 'refuse', status: 503 }, Error, 'overloaded or broken (HTTP 503)'],
    [{ do: 'rate_limit', retry_after_seconds: 7 }, ProviderBusy, 'asked for a later retry (HTTP 429)'],
    [{ do: 'disconnect' }, Error, 'cut the connection'],
    [{ do: 'disconnect', after: 3 }, Error, 'cut the connection'],
  ])('the fault %j is reported, and the next request succeeds', async (fault, kind, message) => {
    const model = await modelOf(vendor, await aServer([{ ...fault, requests: 1 }]));
    const { error, text } = await answerOf(model, asked('Tell me a story.'));
    expect(error?.constructor).toBe(kind);
    expect(error?.message).toContain(message);
    expect(error instanceof ProviderBusy ? error.retryAfterMs : 7_000).toBe(7_000);
    expect('after' in fault && fault.after === 3 ? 'Once upon a ' : '').toContain(text);
    expect((await answerOf(model, asked('Tell me a story.'))).text).toBe(STORY);
  });

  it.each([{ do: 'garbage', after: 3 }, { do: 'garbage' }])(
    'the fault %j does not discard the answer',
    async (fault) => {
      const model = await modelOf(vendor, await aServer([{ ...fault, requests: 1 }]));
      const { error, text } = await answerOf(model, asked('Tell me a story.'));
      expect([text, error]).toEqual([STORY, undefined]);
    },
  );

  it('a slow server is waited for', async () => {
    const model = await modelOf(vendor, await aServer([{ do: 'slow', delay_ms: 30 }]));
    expect((await answerOf(model, asked('Tell me a story.'))).text).toBe(STORY);
  });

  it('a wrong key is refused without being named', async () => {
    const { port } = await aServer();
    const { error } = await answerOf(await modelOf(vendor, { port, key: 'my-own-key' }), asked('Hi'));
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(error?.message).not.toContain('my-own-key');
  });
});

/** A proxy that counts connections. */
async function counting({ port: target }: { port: number }) {
  let total = 0;
  let open = 0;
  let onClosed = (): void => undefined;
  const proxy = createServer();
  proxy.removeAllListeners('connection');
  proxy.on('connection', (socket) => {
    total++;
    open++;
    const onward = connect(target, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.on('close', () => {
      open--;
      onward.destroy();
      onClosed();
    });
  });
  proxy.listen(0, '127.0.0.1');
  proxies.push(proxy);
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    total: () => total,
    open: () => open,
    closed: () => new Promise<void>((resolve) => (onClosed = resolve)),
  };
}
