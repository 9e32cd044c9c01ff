import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { RealtimeBench, request } from '../../../test/realtime-call.js';
import { ProviderBusy, ProviderUnavailable } from '../voice-provider.js';
import type { RealtimeProviderOptions } from './realtime-session.js';

let bench: RealtimeBench;

beforeEach(async () => {
  bench = await RealtimeBench.start();
});
afterEach(() => bench.server.stop());

describe('opening a session', () => {
  it('the first event configures G.711, the tools and a turn detection that never interrupts responses', async () => {
    await bench.connected({ voice: 'marin', transcriptionModel: 'a-transcriber' });
    expect(bench.server.last.received).toEqual([
      {
        type: 'session.update',
        session: {
          type: 'realtime',
          output_modalities: ['audio'],
          instructions: 'Take orders for tea.',
          tools: [{ type: 'function', name: 'order', description: 'Orders tea.', parameters: { type: 'object' } }],
          tool_choice: 'auto',
          audio: {
            input: {
              format: { type: 'audio/pcmu' },
              transcription: { model: 'a-transcriber', language: 'de' },
              turn_detection: { type: 'server_vad', create_response: true, interrupt_response: false },
            },
            output: { format: { type: 'audio/pcmu' }, voice: 'marin' },
          },
        },
      },
    ]);
  });

  it.each([
    [
      { turnDetection: { type: 'server_vad', silenceMs: 300, threshold: 0.7 } },
      { silence_duration_ms: 300, threshold: 0.7 },
    ],
    [{ turnDetection: { type: 'semantic_vad', eagerness: 'high' } }, { type: 'semantic_vad', eagerness: 'high' }],
  ] as const)('the options %j are sent as turn detection %j', async (options, detection) => {
    await bench.connected(options, { codec: 'PCMA' });
    expect(bench.server.last.received[0]).toMatchObject({
      session: { audio: { input: { format: { type: 'audio/pcma' }, turn_detection: detection } } },
    });
  });

  it('a text session has no voice and no turn detection, and sends no audio', async () => {
    const { connection } = await bench.connected({}, { modality: 'text' });
    connection.sendAudio(Buffer.alloc(160));
    connection.sendText('Two teas, please.', 'user');
    expect(await bench.server.last.got(2)).toMatchObject([
      { session: { output_modalities: ['text'], audio: { input: { turn_detection: null } } } },
      { type: 'conversation.item.create' },
    ]);
  });

  it('the history is sent as text before the first request', async () => {
    const { connection } = await bench.connected(
      {},
      {
        history: [
          { role: 'agent', text: 'Hello.' },
          { role: 'user', text: 'Two teas.' },
        ],
      },
    );
    connection.createResponse({});
    expect((await bench.server.last.got(4)).slice(1)).toMatchObject([
      { item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] } },
      { item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Two teas.' }] } },
      { type: 'response.create' },
    ]);
  });

  it('the handshake has the model in the query, the key in a header and no compression', async () => {
    await bench.connected();
    const [{ url, headers } = { url: '', headers: {} }] = bench.server.requests;
    expect(url).toBe('/v1/realtime?model=a-model');
    expect(headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(headers['sec-websocket-extensions']).toBeUndefined();
  });

  it('a server without a key is supported', async () => {
    await bench.connected({ key: undefined });
    expect(bench.server.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('a server that refuses the session', () => {
  const attempt = (options?: Partial<RealtimeProviderOptions>) =>
    bench
      .provider(options)
      .connect(request, () => undefined, new AbortController().signal)
      .then(
        () => new Error('connected'),
        (error: Error) => error,
      );

  it.each([
    [
      { status: 401, body: { error: { code: 'invalid_api_key', message: 'Incorrect key.' } } },
      ProviderUnavailable,
      'invalid_api_key',
    ],
    [{ status: 403 }, ProviderUnavailable, 'rejected the key (HTTP 403)'],
    [{ status: 404 }, ProviderUnavailable, 'no such address or model'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, ProviderUnavailable, 'HTTP 302'],
    [
      { status: 429, body: { error: { code: 'insufficient_quota', message: 'Pay.' } } },
      ProviderUnavailable,
      'insufficient_quota',
    ],
    [{ status: 429, headers: { 'retry-after': '3' } }, ProviderBusy, 'asked for a later retry'],
    [{ status: 503 }, Error, 'overloaded or broken (HTTP 503)'],
  ])('the HTTP response %j becomes the right error', async (refusal, kind, message) => {
    bench.server.refusals = [refusal];
    const error = await attempt();
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('secret');
    expect(error instanceof ProviderUnavailable).toBe(kind === ProviderUnavailable);
    const waits = error instanceof ProviderBusy ? error.retryAfterMs : undefined;
    expect(waits).toBe(kind === ProviderBusy ? 3000 : undefined);
  });

  it.each([
    [{ type: 'invalid_request_error', code: 'model_not_found', message: 'No such model.' }, true],
    [{ type: 'invalid_request_error', code: 'invalid_value', message: 'Invalid value: voice.' }, true],
    [{ type: 'server_error', code: null, message: 'Try again.' }, false],
  ])('the server error %j rejects the session', async (fault, isPermanent) => {
    bench.server.onSession = () => ({ type: 'error', error: fault });
    const error = await attempt();
    expect(error.message).toContain(fault.message);
    expect(error instanceof ProviderUnavailable).toBe(isPermanent);
  });

  it('a server that answers in another encoding is refused', async () => {
    bench.server.onSession = () => ({
      type: 'session.updated',
      session: { audio: { output: { format: { type: 'audio/pcm', rate: 24000 } } } },
    });
    expect((await attempt()).message).toContain('sends audio/pcm instead of audio/pcmu');
  });

  it('a server that never accepts the session is given up', async () => {
    bench.server.onSession = undefined;
    const failing = attempt();
    await reached(() => bench.server.connections.length === 1 && bench.server.last.received.length === 1);
    bench.clock.advance(5000);
    expect((await failing).message).toContain('did not accept the session within 5 s');
  });

  it('a server that hangs up during the handshake rejects the connection', async () => {
    bench.server.onSession = () => {
      bench.server.last.socket.close(1011, 'overloaded');
      return undefined;
    };
    const error = await attempt();
    expect(error.message).toBe('The server closed the connection: overloaded (1011).');
    expect(error).not.toBeInstanceOf(ProviderUnavailable);
  });

  it('an unreachable server rejects the connection', async () => {
    const { url } = bench.server;
    await bench.server.stop();
    expect((await attempt({ url })).message).toContain('cannot be reached (ECONNREFUSED)');
  });

  it('a public server without TLS is not contacted', async () => {
    const error = await attempt({ url: 'ws://8.8.8.8/v1/realtime' });
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(error.message).toContain('must be wss:// or https://');
  });

  it('the end of the call aborts the handshake', async () => {
    bench.server.onSession = undefined;
    const over = new AbortController();
    const opening = bench.provider().connect(request, () => undefined, over.signal);
    await reached(() => bench.server.connections.length === 1);
    const closed = once(bench.server.last.socket, 'close');
    over.abort(new Error('over'));
    await expect(opening).rejects.toThrow('abort');
    await closed;
    bench.clock.advance(10_000);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});

async function reached(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}
