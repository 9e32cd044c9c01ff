import { afterEach, describe, expect, it } from '@jest/globals';
import { readScript, SandboxServer } from '@app/sandbox';
import { request } from '../../../test/realtime-call.js';
import { SILENT_FRAME } from '../../../test/stepped-line.js';
import { speech, userSpeech } from '../../../test/test-call.js';
import { TestClock } from '../../../test/test-clock.js';
import { type Clock, systemClock } from '../../clock.js';
import type { ConnectRequest, ProviderEvent } from '../voice-provider.js';
import { GeminiProvider } from './gemini-provider.js';

const servers: SandboxServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A conversation with the sandbox server. */
async function conversing(
  options: { script?: object; clock?: Clock; key?: string; changes?: Partial<ConnectRequest> } = {},
) {
  const provider = await providerWith(options);
  const events: ProviderEvent[] = [];
  let wake = (): void => undefined;
  const onEvent = (event: ProviderEvent) => {
    events.push(event);
    wake();
  };
  const { signal } = new AbortController();
  const connection = await provider.connect({ ...request, ...options.changes }, onEvent, signal);
  const until = async <T extends ProviderEvent['type']>(type: T, count = 1) => {
    const found = () => events.filter((event): event is Extract<ProviderEvent, { type: T }> => event.type === type);
    while (found().length < count) await new Promise<void>((resolve) => (wake = resolve));
    return found();
  };
  const said = () => events.flatMap((event) => (event.type === 'agent_text' ? [event.text] : [])).join('');
  return { connection, events, until, said };
}

async function providerWith({
  script = {},
  clock = systemClock,
  key,
}: {
  script?: object;
  clock?: Clock;
  key?: string;
}) {
  const server = await SandboxServer.start({ speech, script: readScript(script) });
  servers.push(server);
  const url = new URL('/', server.url).href;
  return new GeminiProvider({ name: 'gemini-live', url, key: key ?? server.key, model: 'sandbox', clock, speech });
}

const ORDER = {
  name: 'order',
  description: 'Orders tea.',
  parameters: { type: 'object', properties: { details: { type: 'object' }, cups: { enum: [1, 2] } } },
};

describe('Gemini on the sandbox server', () => {
  it.each(['PCMU', 'PCMA'] as const)('greets in %s, hears speech and answers it without a request', async (codec) => {
    const { connection, events, until, said } = await conversing({ changes: { codec } });
    connection.createResponse({ say: 'Hello, tea house.' });
    await until('response_done');
    expect(said()).toBe('Hello, tea house.');
    const audio = events.flatMap((event) => (event.type === 'audio' ? [event.audio] : []));
    expect(Buffer.concat(audio).length).toBeGreaterThan(4_000);
    const quiet = codec === 'PCMU' ? SILENT_FRAME : Buffer.alloc(160, 0xd5);
    const spoken = Buffer.concat([await userSpeech(800), ...Array.from({ length: 100 }, () => quiet)]);
    for (let at = 0; at < spoken.length; at += 160) connection.sendAudio(spoken.subarray(at, at + 160));
    await until('speech_stopped');
    await until('response_done', 2);
    connection.close();
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    const usage = events.flatMap((event) => (event.type === 'usage' ? event.items : []));
    expect(usage).toContainEqual(expect.objectContaining({ kind: 'output_audio_tokens' }));
  });

  it('calls a tool whose schema Gemini knows only in part, and continues with its result', async () => {
    const script = {
      rules: [
        { on: { text: 'tea' }, call: { tool: 'order', arguments: { details: '{"kind":"green"}' } } },
        { on: { tool: 'order' }, say: 'Ordered {{result.kind}} tea.' },
        { on: { text: true }, say: 'You said something else.' },
      ],
    };
    const { connection, events, until, said } = await conversing({ script, changes: { tools: [ORDER] } });
    connection.sendText('Some tea, please.', 'user');
    connection.createResponse({});
    const [call] = await until('tool_call');
    expect(JSON.parse(call!.arguments)).toEqual({ details: { kind: 'green' } });
    connection.sendToolResult(call!.toolCallId, '{"kind":"green"}');
    connection.createResponse({});
    await until('response_done', 2);
    expect(said()).toBe('Ordered green tea.');
    connection.close();
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  });

  it('holds conversations in text', async () => {
    const { connection, events, until, said } = await conversing({ changes: { modality: 'text' } });
    connection.sendText('Good morning!', 'user');
    connection.createResponse({});
    await until('response_done');
    connection.close();
    expect(said()).toContain('Good morning');
    expect(events.filter(({ type }) => type === 'audio' || type === 'error')).toEqual([]);
  });

  it.each([
    [
      'is cut',
      { do: 'disconnect', in_response: 1, after_audio_ms: 400 },
      { reason: 'The connection was closed (1006).' },
    ],
    ['sends garbage', { do: 'garbage', in_response: 1 }, { reason: 'The server sent an invalid event.' }],
    ['fails', { do: 'error', in_response: 1 }, { reason: expect.stringContaining('Internal error') }],
    [
      'is over its quota',
      { do: 'rate_limit', after_ms: 1 },
      { reason: expect.stringContaining('exceeded your current quota') },
    ],
  ])('a connection that %s ends with its reason and may be tried again', async (_, fault, expected) => {
    const { connection, until } = await conversing({ script: { faults: [fault] } });
    connection.createResponse({ say: 'Hello, this is the tea house speaking, good morning to you.' });
    const [closed] = await until('closed');
    expect(closed).toEqual({ type: 'closed', ...expected });
  });

  it('a connection that stalls is given up after 20 s', async () => {
    const clock = new TestClock();
    const { connection, until } = await conversing({ clock, script: { faults: [{ do: 'stall', in_response: 1 }] } });
    connection.createResponse({ say: 'Hello.' });
    clock.advance(20_000);
    expect(await until('closed')).toEqual([{ type: 'closed', reason: 'The response of the server stalled.' }]);
  });

  it('a connection that expires is announced', async () => {
    const { connection, until } = await conversing({ script: { faults: [{ do: 'expire', after_response: 1 }] } });
    connection.createResponse({ say: 'Hello.' });
    expect(await until('expiring')).toEqual([{ type: 'expiring', inMs: 3_000 }]);
    connection.close();
  });

  it.each([
    [{ do: 'refuse', status: 401 }, 'ProviderUnavailable', 'API key not valid'],
    [{ do: 'refuse', status: 429 }, 'ProviderBusy', 'quota'],
    [{ do: 'refuse', status: 503 }, 'Error', 'unavailable'],
  ])('a refusal %j is a %s', async (fault, kind, reason) => {
    const error = await conversing({ script: { faults: [fault] } }).then(
      () => new Error('connected'),
      (refused: Error) => refused,
    );
    expect([error.constructor.name, error.message]).toEqual([kind, expect.stringContaining(reason)]);
  });

  it('a wrong key is refused', async () => {
    await expect(conversing({ key: 'wrong' })).rejects.toThrow('API key not valid');
  });
});
