import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GoogleGenAI, Modality } from '@google/genai';
import { once } from 'node:events';
import { complete, GeminiBench, generated, sound, words } from '../../../test/gemini-call.js';
import { request } from '../../../test/realtime-call.js';
import { type HistoryTurn, ProviderBusy, ProviderUnavailable } from '../voice-provider.js';
import { detectionOf, methodUrl } from './gemini-session.js';

let bench: GeminiBench;

beforeEach(async () => {
  bench = await GeminiBench.start();
});
afterEach(() => bench.server.stop());

const ORDER = {
  name: 'order',
  description: 'Orders tea.',
  parameters: { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] },
};

const setup = (): unknown => (bench.server.last.received[0] as unknown as { setup: unknown }).setup;

describe('opening a session', () => {
  it("the setup is that of Google's own client with the same settings", async () => {
    await bench.connected(
      {
        model: 'gemini-3.8-live',
        voice: 'Kore',
        turnDetection: { type: 'server_vad', silenceMs: 600, threshold: 0.7 },
      },
      { tools: [ORDER] },
    );
    const ours = setup();
    const ai = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: bench.server.url.replace('ws:', 'http:') } });
    const session = await ai.live.connect({
      model: 'gemini-3.8-live',
      config: {
        responseModalities: [Modality.AUDIO],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        systemInstruction: {
          parts: [
            { text: 'Take orders for tea.\n\nSpeak German (Germany), unless the caller speaks another language.' },
          ],
        },
        tools: [
          {
            functionDeclarations: [
              {
                name: 'order',
                description: 'Orders tea.',
                parameters: {
                  type: 'OBJECT' as never,
                  properties: { cups: { type: 'INTEGER' as never, minimum: 1 } },
                  required: ['cups'],
                },
              },
            ],
          },
        ],
        realtimeInputConfig: {
          automaticActivityDetection: {
            startOfSpeechSensitivity: 'START_SENSITIVITY_LOW' as never,
            silenceDurationMs: 600,
          },
          activityHandling: 'START_OF_ACTIVITY_INTERRUPTS' as never,
        },
        inputAudioTranscription: {},
        outputAudioTranscription: {},
        sessionResumption: {},
        contextWindowCompression: { slidingWindow: {} },
      },
      callbacks: { onmessage: () => undefined },
    });
    const { systemInstruction, ...theirs } = setup() as { systemInstruction: { parts: unknown } };
    session.close();
    expect(ours).toEqual({ ...theirs, systemInstruction: { parts: systemInstruction.parts } });
  });

  it('the key is in a header and in no address', async () => {
    await bench.connected();
    const [{ url, headers } = { url: '', headers: {} }] = bench.server.requests;
    expect(url).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent');
    expect(headers).toMatchObject({ 'x-goog-api-key': 'secret' });
    expect(headers['sec-websocket-extensions']).toBeUndefined();
  });

  it.each([
    ['https://generativelanguage.googleapis.com', /^wss:\/\/generativelanguage.googleapis.com\/ws\/google\.ai\./],
    ['ws://10.0.0.1:8080/gemini/', /^ws:\/\/10\.0\.0\.1:8080\/gemini\/ws\/google\.ai\./],
    [
      'wss://eu-aiplatform.googleapis.com/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent',
      /LlmBidiService\/BidiGenerateContent$/,
    ],
  ])('the address %s leads to the method', (base, expected) => {
    expect(methodUrl(base)).toMatch(expected);
  });

  it.each([
    [undefined, {}],
    [{ type: 'semantic_vad', eagerness: 'low' }, { endOfSpeechSensitivity: 'END_SENSITIVITY_LOW' }],
    [{ type: 'semantic_vad' }, {}],
    [
      { type: 'server_vad', threshold: 0.5, prefixPaddingMs: 200 },
      { startOfSpeechSensitivity: 'START_SENSITIVITY_HIGH', prefixPaddingMs: 200 },
    ],
  ] as const)('the turn detection %j becomes %j', (chosen, expected) => {
    expect(detectionOf(chosen)).toEqual(expected);
  });

  it('messages of Google come as binary frames', async () => {
    const { events, until } = await bench.connected();
    bench.server.last.socket.send(Buffer.from(JSON.stringify(words('Hello.'))));
    bench.server.last.socket.send(Buffer.from(JSON.stringify(sound(20))));
    await until(() => events.some(({ type }) => type === 'agent_text'));
    expect(events).toContainEqual(expect.objectContaining({ type: 'agent_text', text: 'Hello.' }));
  });

  it('a text conversation sends no audio, and the transcription is its text', async () => {
    const { connection, events, settled } = await bench.connected({}, { modality: 'text' });
    connection.sendAudio(Buffer.alloc(160));
    connection.sendText('Two teas, please.', 'user');
    connection.createResponse({});
    bench.server.last.send(sound(200), words('With pleasure.'), generated, complete);
    await settled();
    expect(bench.server.last.received).toHaveLength(2);
    expect(bench.sent).toEqual([{ realtimeInput: { text: 'Two teas, please.' } }]);
    expect(events.map(({ type }) => type)).toEqual(['response_started', 'agent_text', 'response_done']);
  });
});

describe('a server that refuses the session', () => {
  const refused = (code: number, reason: string): Promise<Error> => {
    bench.server.onSession = () => {
      bench.server.last.socket.close(code, reason);
      return undefined;
    };
    return bench.connected().then(
      () => new Error('connected'),
      (error: Error) => error,
    );
  };

  it.each([
    [1007, 'API key not valid. Please pass a valid API key.', ProviderUnavailable],
    [1008, 'models/x is not found for API version v1beta, or is not supported for bidi', ProviderUnavailable],
    [1007, 'Request contains an invalid argument.', ProviderUnavailable],
    [1008, 'Your API key was reported as leaked.', ProviderUnavailable],
    [1011, 'You exceeded your current quota, please check your plan and billing details.', ProviderBusy],
    [1011, 'Resource has been exhausted (e.g. check quota).', ProviderBusy],
    [1011, 'The service is currently unavailable.', Error],
    [1006 + 5, 'Internal error encountered.', Error],
  ])('%d %s becomes the right error', async (code, reason, kind) => {
    const error = await refused(code, reason);
    expect(error.constructor).toBe(kind);
    expect(error.message).toContain(reason);
  });

  it('one that says nothing for 5 s is given up', async () => {
    bench.server.onSession = () => undefined;
    const connecting = bench.connected();
    await bench.server.whenConnected();
    await bench.server.last.got(1);
    bench.clock.advance(5_000);
    await expect(connecting).rejects.toThrow('did not accept the session within 5 s');
  });
});

describe('the end of a connection', () => {
  it.each([
    [1011, 'You exceeded your current quota.', undefined],
    [1008, 'PERMISSION_DENIED: the API has been disabled.', true],
    [1001, 'Going away.', undefined],
  ])('%d %s is final: %s', async (code, reason, final) => {
    const { events, until } = await bench.connected();
    bench.server.last.socket.close(code, reason);
    await until(() => events.length > 0);
    expect(events).toEqual([{ type: 'closed', reason: expect.stringContaining(reason), ...(final ? { final } : {}) }]);
  });

  it('is announced by the service', async () => {
    const { events, until } = await bench.connected();
    bench.server.last.send({ goAway: { timeLeft: '50.5s' } });
    await until(() => events.length > 0);
    expect(events).toEqual([{ type: 'expiring', inMs: 50_500 }]);
  });
});

describe('another connection', () => {
  const HISTORY: HistoryTurn[] = [
    { role: 'agent', text: 'Hello.' },
    { role: 'system', text: 'The tool is slow.' },
    { role: 'user', text: 'Two teas.' },
  ];
  const handle = (newHandle: string) => ({ sessionResumptionUpdate: { newHandle, resumable: true } });

  it('gets the history as text', async () => {
    const { settled } = await bench.connected({}, { history: HISTORY });
    await settled();
    expect(setup()).toMatchObject({ historyConfig: { initialHistoryInClientContent: true }, sessionResumption: {} });
    expect(bench.sent).toEqual([
      {
        clientContent: {
          turns: [
            { role: 'model', parts: [{ text: 'Hello.' }] },
            { role: 'user', parts: [{ text: expect.stringContaining('The tool is slow.') }] },
            { role: 'user', parts: [{ text: 'Two teas.' }] },
          ],
          turnComplete: true,
        },
      },
    ]);
  });

  async function answered(...after: Record<string, unknown>[]) {
    const provider = bench.provider();
    const { connection, settled } = await bench.conversing(provider);
    bench.server.last.send(
      sound(100),
      words('Two teas, '),
      words('of course.'),
      generated,
      complete,
      handle('h1'),
      ...after,
    );
    await settled();
    connection.close();
    return (history: HistoryTurn[]) => bench.conversing(provider, { history });
  }
  const ANSWERED: HistoryTurn[] = [...HISTORY, { role: 'agent', text: 'Two teas, of course.' }];

  it('resumes the session that holds the whole conversation', async () => {
    const reconnect = await answered();
    const { settled } = await reconnect(ANSWERED);
    await settled();
    expect(setup()).toMatchObject({ sessionResumption: { handle: 'h1' } });
    expect(bench.sent).toEqual([]);
  });

  it.each([
    ['the answer was interrupted', [...HISTORY, { role: 'agent', text: 'Two' }], []],
    ['keys were pressed meanwhile', [...ANSWERED, { role: 'user', text: '[The caller pressed the keys 5]' }], []],
    ['the model has spoken after the handle', ANSWERED, [sound(100), words(' More.'), generated, complete]],
    ['the session cannot be resumed here', ANSWERED, [{ sessionResumptionUpdate: { resumable: false } }]],
  ] as [string, HistoryTurn[], Record<string, unknown>[]][])(
    'starts a new session with the history when %s',
    async (_, history, after) => {
      const reconnect = await answered(...after);
      const { settled } = await reconnect(history);
      await settled();
      expect(setup()).toMatchObject({ sessionResumption: {} });
      expect(JSON.stringify(setup())).not.toContain('h1');
      expect(bench.sent).toMatchObject([{ clientContent: { turns: expect.anything() } }]);
    },
  );

  it('starts a new session when the service has forgotten the old one', async () => {
    const reconnect = await answered();
    bench.server.onSession = (message) => {
      const { setup: asked } = message as unknown as { setup: { sessionResumption: { handle?: string } } };
      if (asked.sessionResumption.handle === undefined) return { setupComplete: {} };
      bench.server.last.socket.close(1008, 'BidiGenerateContent session not found.');
      return undefined;
    };
    const { settled } = await reconnect(ANSWERED);
    await settled();
    expect(bench.sent).toMatchObject([{ clientContent: {} }]);
  });

  it('is not tried again when the call has ended', async () => {
    const abort = new AbortController();
    bench.server.onSession = () => undefined;
    const connecting = bench.provider().connect(request, () => undefined, abort.signal);
    await bench.server.whenConnected();
    await bench.server.last.got(1);
    const closed = once(bench.server.last.socket, 'close');
    abort.abort();
    await expect(connecting).rejects.toThrow('aborted');
    await closed;
    expect(bench.server.connections).toHaveLength(1);
  });
});
