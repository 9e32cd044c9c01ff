import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { broken, GEMINI_EVENTS, LIVE_EVENTS, REALTIME_EVENTS } from '../../test/hostile-events.js';
import { created, delta, done, RealtimeBench, text } from '../../test/realtime-call.js';
import { ScriptedServer, type AnyEvent } from '../../../../test/support/realtime-server.js';
import { answeredCall, speech, type TestCall } from '../../test/test-call.js';
import { TestClock } from '../../test/test-clock.js';
import { isPlausible } from '../usage.js';
import type { VoiceTool } from '../tools/tool-box.js';
import { GeminiConnection } from './gemini-live/gemini-connection.js';
import { GeminiProvider } from './gemini-live/gemini-provider.js';
import { readGeminiEvent } from './gemini-live/gemini-session.js';
import { Resumption } from './gemini-live/resumption.js';
import { LiveConnection } from './openai-live/live-connection.js';
import { readLiveEvent } from './openai-live/live-session.js';
import { LiveProvider } from './openai-live/live-provider.js';
import { RealtimeConnection } from './openai-realtime/realtime-connection.js';
import { RealtimeProvider } from './openai-realtime/realtime-provider.js';
import { readServerEvent } from './openai-realtime/realtime-session.js';
import { ReceiveLimiter } from './socket/event-socket.js';
import type { ConnectRequest, ProviderEvent, VoiceProvider } from './voice-provider.js';

const EVENTS = 3_000;
const NAMES = {
  name: 'hostile',
  url: 'ws://127.0.0.1',
  key: 'k',
  model: 'm',
  backendModel: 'b',
  billing: 'tokens' as const,
};

/** Takes one message of the server; returns whether it was understood. */
type Take = (json: string) => boolean;

/** Each adapter over a socket that goes nowhere. */
const ADAPTERS = {
  realtime(request: ConnectRequest, onEvent: (event: ProviderEvent) => void, clock: TestCall['line']) {
    const session = { onEvent, cancelExpiry: () => undefined, padding: { beforeMs: 0, afterMs: 0 } };
    const connection = new RealtimeConnection({ ...NAMES, clock }, request, NOWHERE, session);
    return { connection, take: taking(readServerEvent, (event) => connection.take(event)) };
  },
  live(request: ConnectRequest, onEvent: (event: ProviderEvent) => void, clock: TestCall['line']) {
    const connection = new LiveConnection({ ...NAMES, clock }, request, NOWHERE, onEvent, () => undefined);
    return { connection, take: taking(readLiveEvent, (event) => connection.take(event)) };
  },
  gemini(request: ConnectRequest, onEvent: (event: ProviderEvent) => void, clock: TestCall['line']) {
    const session = { onEvent, resumption: new Resumption() };
    const connection = new GeminiConnection({ ...NAMES, clock, speech }, request, NOWHERE, session);
    return { connection, take: taking(readGeminiEvent, (event) => connection.take(event)) };
  },
};
const EXAMPLES: Record<keyof typeof ADAPTERS, Record<string, unknown>[]> = {
  realtime: REALTIME_EVENTS,
  live: LIVE_EVENTS,
  gemini: GEMINI_EVENTS,
};
const NOWHERE = { send: () => undefined, sendAudio: () => undefined, close: () => undefined } as never;

const taking =
  <Event>(read: (json: string) => Event | undefined, handle: (event: Event) => void): Take =>
  (json) => {
    const event = read(json);
    if (event) handle(event);
    return event !== undefined;
  };

describe.each(['realtime', 'live', 'gemini'] as const)('a %s server that sends malformed events', (kind) => {
  it(`a call survives ${EVENTS} malformed events, and its usage can be billed`, async () => {
    const random = new SeededRandom(`provider ${kind}`);
    const examples = EXAMPLES[kind];
    let take: Take = () => false;
    const connect = (request: ConnectRequest, onEvent: (event: ProviderEvent) => void, clock: TestCall['line']) => {
      const adapter = ADAPTERS[kind](request, onEvent, clock);
      ({ take } = adapter);
      return Promise.resolve(adapter.connection);
    };
    const provider = (line: TestCall['line']): VoiceProvider => ({
      name: 'hostile',
      capabilities: { cancel: true, truncate: true, transcribesUser: true },
      prepare: () => Promise.resolve(),
      connect: (request, onEvent) => connect(request, onEvent, line),
    });
    const call = answeredCall({ provider });
    await call.line.run(100);
    let understood = 0;
    for (let n = 0; n < EVENTS; n++) {
      if (take(random.chance(0.3) ? JSON.stringify(random.pick(examples)) : broken(random.pick(examples), random)))
        understood++;
      if (n % 50 === 0) await call.line.run(20);
    }
    expect(understood).toBeGreaterThan(EVENTS / 2);
    call.session.stop('user_hangup');
    await call.line.run(20);
    expect(call.end()).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
    expect(call.of('usage').every(isPlausible)).toBe(true);
    const times = call.events.map(({ at_ms }) => at_ms);
    expect(times.every((ms) => Number.isFinite(ms) && ms >= 0)).toBe(true);
  });
});

describe('a faulty server', () => {
  let server: ScriptedServer;
  let call: TestCall | undefined;

  beforeEach(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(async () => {
    call?.session.stop('drained');
    await server.stop();
  });

  async function talking(kind: keyof typeof ADAPTERS, tools: VoiceTool[] = []): Promise<TestCall> {
    if (kind !== 'realtime') {
      server.hello = undefined;
      server.onSession = () => (kind === 'live' ? { type: 'session.started', session: {} } : { setupComplete: {} });
    }
    const options = { ...NAMES, url: server.url };
    call = answeredCall({
      tools,
      provider: (clock) => {
        if (kind === 'gemini') return new GeminiProvider({ ...options, clock, speech });
        return kind === 'live' ? new LiveProvider({ ...options, clock }) : new RealtimeProvider({ ...options, clock });
      },
    });
    // The greeting was requested, so the session is accepted.
    await call.line.until(() => (server.connections.at(-1)?.received.length ?? 0) > 1, 60_000);
    return call;
  }

  const toolCall = (more: object): AnyEvent => ({
    type: 'response.output_item.done',
    response_id: 'r1',
    item: { type: 'function_call', call_id: 't1', name: 'send_dtmf', ...more },
  });

  const ARGUMENTS = [
    ['the object itself', { arguments: { digits: '1' } }, true, { digits: '1' }],
    ['a missing field', {}, false, {}],
    ['null', { arguments: null }, false, {}],
    ['a number', { arguments: 5 }, false, '5'],
  ] as const;

  it.each([
    ...ARGUMENTS.map(([title, ...rest]) => [title, 'realtime', ...rest] as const),
    ...ARGUMENTS.map(([title, ...rest]) => [title, 'live', ...rest] as const),
  ])('tool arguments sent as %s are handled (%s)', async (_, kind, more, ok, args) => {
    const one = await talking(kind);
    const event = toolCall(more);
    server.last.send(created('r1'), kind === 'live' ? { type: 'response.event', event } : event, done('r1'));
    await one.line.until(() => one.of('tool_call').length > 0, 60_000);
    expect(one.of('tool_call')).toMatchObject([{ name: 'send_dtmf', ok, arguments: args }]);
  });

  it('a server that reports 200 errors without a message leaves at most 51 of them in the record', async () => {
    const one = await talking('live');
    for (let n = 0; n < 200; n++) server.last.send({ type: 'error', error: {} });
    server.last.send({ type: 'session.usage.updated', usage: { seconds: 3 } });
    await one.line.until(() => one.of('usage').length > 0, 60_000);
    expect(one.of('error')).toHaveLength(51);
    expect(one.of('error').at(-1)).toMatchObject({ code: 'too_many_errors' });
  });

  it.each([
    ['an argument of another type', { args: { digits: 5 } }, { digits: 5 }],
    ['missing', {}, {}],
    ['null', { args: null }, {}],
  ])('tool arguments that are %s are handled (gemini)', async (_, more, args) => {
    const one = await talking('gemini');
    server.last.send({ toolCall: { functionCalls: [{ id: 't1', name: 'send_dtmf', ...more }] } });
    await one.line.until(() => one.of('tool_call').length > 0, 60_000);
    expect(one.of('tool_call')).toMatchObject([{ name: 'send_dtmf', ok: false, arguments: args }]);
  });

  it.each([
    ['garbage', '{"serverContent":', 'The server sent an invalid event.'],
    ['a field of another type', '{"serverContent":5}', 'The server sent an invalid event.'],
    [
      'audio of an odd rate',
      '{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm;rate=44100","data":"AAAA"}}]}}}',
      'The server sends audio of a rate that cannot be played: 44100.',
    ],
  ])('a Gemini server that sends %s is disconnected', async (_, message, reason) => {
    const one = await talking('gemini');
    server.last.socket.send(Buffer.from(message));
    await one.line.until(() => one.of('provider_lost').length > 0, 60_000);
    expect(one.of('provider_lost')).toMatchObject([{ reason }]);
  });

  it('a server that calls tools without end runs 16 at once and gets an error for the others', async () => {
    let running = 0;
    let most = 0;
    const slow: VoiceTool = {
      name: 'order',
      description: '',
      parameters: { type: 'object' },
      run: async (_args, { signal }) => {
        most = Math.max(most, ++running);
        if (!signal.aborted) await once(signal, 'abort');
        running--;
      },
    };
    const one = await talking('realtime', [slow]);
    const calls = Array.from({ length: 100 }, (_, n) => toolCall({ call_id: `t${n}`, name: 'order', arguments: '{}' }));
    server.last.send(created('r1'), ...calls);
    await one.line.until(() => one.of('tool_call').length >= 84, 60_000);
    expect(most).toBe(16);
    expect(one.of('tool_call')[0]).toMatchObject({
      ok: false,
      arguments: {},
      result: { error: { code: 'too_many_calls' } },
    });
    await one.line.until(() => one.of('tool_call').length === 100, 60_000);
  });

  it('a server that reports only the beginnings of speech leaves at most 64 turns open', async () => {
    const one = await talking('realtime');
    for (let n = 0; n < 500; n++)
      server.last.send({ type: 'input_audio_buffer.speech_started', item_id: `c${n}`, audio_start_ms: n });
    await one.line.until(() => one.of('turn_started').length === 500, 60_000);
    expect(one.of('turn')).toHaveLength(500 - 64);
  });

  it('a server that exceeds the receive limit is disconnected', async () => {
    const one = await talking('realtime');
    const padding = 'x'.repeat(4_000_000);
    for (let n = 0; n < 9; n++) server.last.send({ type: 'unknown', padding });
    await one.line.until(() => one.of('provider_lost').length > 0, 60_000);
    expect(one.of('provider_lost')[0]?.reason).toBe('The server exceeded the receive limit.');
    await one.line.until(() => one.of('provider_restored').length > 0, 60_000);
  });
});

describe('an excessive response', () => {
  let bench: RealtimeBench;
  beforeEach(async () => {
    bench = await RealtimeBench.start();
  });
  afterEach(() => bench.server.stop());

  it('a response with endless text is cancelled', async () => {
    const { events, settled } = await bench.connected();
    const words = 'word '.repeat(2_000);
    bench.server.last.send(created('r1'), text('r1', words), text('r1', words), text('r1', words), delta('r1', 160));
    await settled();
    expect(events.map(({ type }) => type)).toEqual(['response_started', 'agent_text', 'agent_text', 'error']);
    expect(await bench.server.last.gotAt(2)).toEqual({ type: 'response.cancel', response_id: 'r1' });
  });

  it.each([1e15, '1e999'])('an implausible usage of %s tokens is not billed', async (count) => {
    const { events, settled } = await bench.connected();
    const usage = { input_tokens: 7, output_tokens: 'COUNT' };
    const message = JSON.stringify(done('r1', { usage })).replace('"COUNT"', String(count));
    bench.server.last.socket.send(message);
    await settled();
    expect(events).toEqual([
      { type: 'usage', items: [expect.objectContaining({ kind: 'input_audio_tokens', quantity: 0.007 })] },
      expect.objectContaining({ type: 'error', code: 'usage_not_believed' }),
    ]);
  });
});

it('a server that sends its handshake byte by byte is given up', async () => {
  const sockets = createServer((socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nX-Slow: ');
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(sockets, 'listening');
  const clock = new TestClock();
  const url = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
  const request: ConnectRequest = {
    agent: { name: 'Ada', instructions: '', greeting: '' },
    modality: 'audio',
    codec: 'PCMU',
    tools: [],
    history: [],
  };
  const asked = once(sockets, 'connection');
  const opening = new RealtimeProvider({ ...NAMES, url, clock }).connect(
    request,
    () => undefined,
    new AbortController().signal,
  );
  await asked;
  clock.advance(6_000);
  await expect(opening).rejects.toThrow('The server of hostile cannot be reached.');
  sockets.close();
});

it('the receive limit admits a five-minute answer at once, and a normal conversation after it', () => {
  const clock = new TestClock();
  const gate = new ReceiveLimiter(clock);
  const admitted = (count: number): number =>
    Array.from({ length: count }, () => gate.admits(1_000)).filter(Boolean).length;
  expect(admitted(30_001)).toBe(30_000);
  clock.advance(1_000);
  expect(admitted(300)).toBe(199);
});
