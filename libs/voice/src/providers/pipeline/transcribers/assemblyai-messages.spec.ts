import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcceptedStream } from '../../../../test/accepted-stream.js';
import { A_LAW, english, MU_LAW, silence, transcribing, WIDEBAND } from '../../../../test/transcribing.js';
import { TestClock } from '../../../../test/test-clock.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { systemClock } from '../../../clock.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { TranscriberEvent, TranscriptionRequest } from '../ports.js';
import { assemblyAi, assemblyAiQuery, readAssemblyAiMessage } from './assemblyai-transcriber.js';

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

const bench = new AcceptedStream(assemblyAi, 'assemblyai', () => server);

const turn = (order: number, transcript: string, more: object = {}) => ({
  type: 'Turn',
  turn_order: order,
  turn_is_formatted: true,
  end_of_turn: true,
  transcript,
  end_of_turn_confidence: 1,
  words: transcript
    .split(' ')
    .filter(Boolean)
    .map((text, i) => ({ text, start: i * 500, end: i * 500 + 400, confidence: 0.99, word_is_final: true })),
  ...more,
});

const HELLO: TranscriberEvent = {
  type: 'final',
  text: 'Hello world.',
  words: [
    { text: 'Hello', startMs: 0, endMs: 400 },
    { text: 'world.', startMs: 500, endMs: 900 },
  ],
  startMs: 0,
  endMs: 900,
};
const STREAMING = 'universal-streaming-english';

describe('messages of AssemblyAI', () => {
  const withoutUsage = (events: TranscriberEvent[]) => events.filter(({ type }) => type !== 'usage');

  it.each<[string, string | undefined, object[], TranscriberEvent[]]>([
    [
      'a turn',
      undefined,
      [
        { type: 'SpeechStarted', timestamp: 20, confidence: 1 },
        turn(0, 'Hello', { end_of_turn: false, turn_is_formatted: false }),
        turn(0, 'Hello world.'),
      ],
      [
        { type: 'speech_started', atMs: 20 },
        { type: 'interim', text: 'Hello', endMs: 400 },
        HELLO,
        { type: 'end_of_turn', atMs: 900 },
      ],
    ],
    [
      'words that are not final yet',
      STREAMING,
      [turn(0, 'hello', { end_of_turn: false, turn_is_formatted: false, words: turn(0, 'hello wor').words })],
      [
        { type: 'speech_started', atMs: 0 },
        { type: 'interim', text: 'hello wor', endMs: 900 },
      ],
    ],
    [
      'a plain and a formatted end',
      STREAMING,
      [turn(0, 'hello world', { turn_is_formatted: false }), turn(0, 'Hello world.')],
      [
        { type: 'speech_started', atMs: 0 },
        { type: 'interim', text: 'hello world', endMs: 900 },
        HELLO,
        { type: 'end_of_turn', atMs: 900 },
      ],
    ],
    [
      'a plain end whose formatted version never comes',
      STREAMING,
      [turn(0, 'hello', { turn_is_formatted: false }), turn(1, 'Yes.'), turn(0, 'Hello.')],
      [
        { type: 'speech_started', atMs: 0 },
        { type: 'interim', text: 'hello', endMs: 400 },
        { type: 'final', text: 'hello', words: [{ text: 'hello', startMs: 0, endMs: 400 }], startMs: 0, endMs: 400 },
        { type: 'end_of_turn', atMs: 400 },
        { type: 'speech_started', atMs: 0 },
        { type: 'final', text: 'Yes.', words: [{ text: 'Yes.', startMs: 0, endMs: 400 }], startMs: 0, endMs: 400 },
        { type: 'end_of_turn', atMs: 400 },
      ],
    ],
    [
      'a turn with its language and without words',
      undefined,
      [{ type: 'Turn', turn_order: 0, end_of_turn: true, transcript: 'Hola.', language_code: 'es' }],
      [
        { type: 'final', text: 'Hola.', words: [], startMs: 0, endMs: 0, language: 'es' },
        { type: 'end_of_turn', atMs: 0 },
      ],
    ],
    [
      'a warning',
      undefined,
      [{ type: 'Warning', warning_code: 7, warning: 'Slow audio.' }],
      [{ type: 'error', code: 'warning_7', message: 'Slow audio.' }],
    ],
    [
      'types without a meaning for a call',
      undefined,
      [{ type: 'Heartbeat', total_duration_ms: 5 }, { type: 'Silence' }, { type: 'Termination' }, { type: 'Mood' }],
      [],
    ],
  ])('%s', async (_, model, messages, events) =>
    expect(withoutUsage(await bench.eventsOf(messages, model))).toEqual(events),
  );

  it.each([
    ['{"type":"Turn","turn_order":0,"words":[{"text":"a","start":-1,"end":2}]}', undefined],
    ['{"type":"Turn"}', undefined],
    ['{"error":"Not authorized"}', { type: 'Error', error: 'Not authorized' }],
    ['{"type":"Error"}', { type: 'Error', error: 'No reason was given.' }],
  ])('%s is read as %j', (json, message) => expect(readAssemblyAiMessage(json)).toEqual(message));

  it.each<[Partial<TranscriptionRequest>, string, Record<string, string | null>]>([
    [
      { keywords: ['Ada Tea'] },
      'universal-3-5-pro',
      {
        encoding: 'pcm_mulaw',
        sample_rate: '8000',
        language_codes: '["en"]',
        language_detection: null,
        keyterms_prompt: '["Ada Tea"]',
        continuous_partials: 'true',
        format_turns: null,
      },
    ],
    [
      { audio: WIDEBAND },
      STREAMING,
      { encoding: 'pcm_s16le', sample_rate: '16000', format_turns: 'true', continuous_partials: null },
    ],
    [
      { audio: A_LAW, language: undefined, languages: [] },
      'u3-rt-pro',
      { encoding: 'pcm_mulaw', language_codes: null, language_detection: 'true' },
    ],
    [
      { language: 'de-DE', languages: ['de-DE', 'en-GB', 'en-US'] },
      'universal-3-6-pro',
      { language_codes: '["de","en"]', language_detection: 'true' },
    ],
    [{ language: 'de', languages: ['de', 'en'] }, STREAMING, { language_codes: null, language_detection: null }],
  ])('the request %j to %s has the parameters %j', (changes, model, wanted) => {
    const options = { name: 'a', url: '', model, clock: systemClock };
    const query = new URLSearchParams(assemblyAiQuery(options, { ...english, ...changes }));
    expect(query.get('speech_model')).toBe(model);
    for (const [name, value] of Object.entries(wanted)) expect([name, query.get(name)]).toEqual([name, value]);
  });

  it('audio is sent in messages of 60 ms, the session is terminated, and its time is the usage', async () => {
    const clock = new TestClock();
    const { stream, events } = await bench.open({ clock });
    expect(server.requests[0]!.headers.authorization).toBe('k');
    for (let i = 0; i < 7; i++) stream.send(silence(MU_LAW));
    clock.advance(2_345);
    stream.close();
    await server.until(() => server.closes.length > 0);
    expect(server.audio.map((audio) => audio.length)).toEqual([480, 480]);
    expect(server.received).toEqual([{ type: 'Terminate' }]);
    expect(events).toEqual([
      {
        type: 'usage',
        items: [
          { kind: 'transcription_seconds', quantity: 2.345, unit: 'second', source: 'assemblyai:universal-3-5-pro' },
        ],
      },
      { type: 'closed', reason: 'closed by the client' },
    ]);
  });

  it('a turn that the agent ended early is not an opinion of the vendor', async () => {
    const { stream, of, until } = await bench.open();
    server.send(turn(0, 'Hello', { end_of_turn: false }));
    await until('interim');
    stream.flush();
    await server.until(() => server.received.length > 0);
    server.send(turn(0, 'Hello.'), turn(1, 'Yes.'));
    await until('final', 2);
    expect(server.received).toEqual([{ type: 'ForceEndpoint' }]);
    expect(of('end_of_turn')).toHaveLength(1);
    stream.close();
  });

  it('a late formatted version is not waited for', async () => {
    const clock = new TestClock();
    const { stream, of, until } = await bench.open({ clock, model: STREAMING });
    server.send(turn(0, 'hello world', { turn_is_formatted: false }));
    await until('interim');
    expect(of('final')).toEqual([]);
    clock.advance(500);
    expect(of('final')).toMatchObject([{ text: 'hello world' }]);
    server.send(turn(0, 'Hello world.'), turn(1, 'Yes.'));
    await until('final', 2);
    expect(of('final')[1]!.text).toBe('Yes.');
    stream.close();
  });

  it.each([
    [3009, 'Unauthorized Connection: Too many concurrent sessions', ProviderBusy],
    [1008, 'Unauthorized Connection: Too many concurrent sessions', ProviderBusy],
    [1008, 'Unauthorized Connection: Missing Authorization header', ProviderUnavailable],
    [4002, 'Insufficient funds', ProviderUnavailable],
    [3006, 'Bad connection parameters', ProviderUnavailable],
    [3005, 'Session Cancelled: An error occurred', Error],
  ])('the code %d with "%s" before the session becomes the right error', async (code, text, kind) => {
    for (const withMessage of [true, false]) {
      server.onConnection = (socket) => {
        if (withMessage) socket.send(JSON.stringify({ type: 'Error', error_code: code, error: text }));
        socket.close(code, text);
      };
      const attempt = transcribing(assemblyAi, 'assemblyai', { server: { url: server.url } });
      const error = await attempt.catch((failure: unknown) => failure);
      expect([withMessage, (error as Error).constructor]).toEqual([withMessage, kind]);
      expect((error as Error).message).toContain(text);
    }
  });

  it.each([
    [3008, 'Session Expired', undefined],
    [4002, 'Insufficient funds', true],
  ])('the error %d in a session says whether another one is refused', async (code, text, final) => {
    const { until } = await bench.open();
    server.send({ type: 'Error', error_code: code, error: text });
    const [closed] = await until('closed');
    expect(closed).toEqual({ type: 'closed', reason: text, ...(final ? { final } : {}) });
  });
});
