import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { A_LAW, english, MU_LAW, silence, transcribing, utterance, WIDEBAND } from '../../../../test/transcribing.js';
import { TestClock } from '../../../../test/test-clock.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { type Clock, systemClock } from '../../../clock.js';
import { totalUsage } from '../../../usage.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { TranscriberKind } from '../leg-registry.js';
import type { TranscriberEvent, TranscriptionRequest } from '../ports.js';
import { assemblyAi, assemblyAiQuery, readAssemblyAiMessage } from './assemblyai-transcriber.js';
import { deepgram, deepgramQuery, readDeepgramMessage } from './deepgram-transcriber.js';
import { openAi, openAiSession, readOpenAiMessage } from './openai-transcriber.js';

const KINDS = { deepgram, assemblyai: assemblyAi, openai: openAi } satisfies Record<string, TranscriberKind>;
type Vendor = keyof typeof KINDS;

const BEGIN = { type: 'Begin', id: '3207b601', expires_at: 1772570132 };

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

async function opened(vendor: Vendor, more: { model?: string; clock?: Clock; request?: TranscriptionRequest } = {}) {
  server.onConnection = (socket) => {
    if (vendor === 'assemblyai') socket.send(JSON.stringify(BEGIN));
    if (vendor === 'openai') socket.send('{"type":"session.created","session":{}}');
  };
  server.onMessage = (message, socket) => {
    if (message.type === 'session.update') socket.send(JSON.stringify({ ...message, type: 'session.updated' }));
  };
  return transcribing(KINDS[vendor], vendor, { server: { url: server.url, key: 'k' }, ...more });
}

/** The events of these messages, without the end. */
async function eventsOf(vendor: Vendor, messages: object[], model?: string): Promise<TranscriberEvent[]> {
  const { stream, events, until } = await opened(vendor, { model });
  server.send(...messages);
  server.clients[0]!.close(1000);
  await until('closed');
  stream.close();
  return events.filter(({ type }) => type !== 'closed');
}

const word = (text: string, start: number, end: number) => ({
  word: text.toLowerCase().replace(/\W/g, ''),
  punctuated_word: text,
  start,
  end,
  confidence: 0.98,
});

const results = (transcript: string, words: object[], more: object = {}) => ({
  type: 'Results',
  channel_index: [0, 1],
  duration: 1.98,
  start: 1,
  is_final: false,
  speech_final: false,
  channel: { alternatives: [{ transcript, confidence: 0.98, words }] },
  metadata: { request_id: 'r', model_info: { name: 'general-nova-3' }, model_uuid: 'm' },
  ...more,
});

describe('messages of Deepgram', () => {
  it.each<[string, object[], TranscriberEvent[]]>([
    [
      'the start of speech',
      [{ type: 'SpeechStarted', channel: [0], timestamp: 9.54 }],
      [{ type: 'speech_started', atMs: 9540 }],
    ],
    [
      'an interim result',
      [results('Hello', [word('Hello', 1.2, 1.5)])],
      [{ type: 'interim', text: 'Hello', endMs: 1500 }],
    ],
    [
      'a final result',
      [
        results('Hello, Ada.', [word('Hello,', 1.2, 1.5), word('Ada.', 1.6, 2.04)], {
          is_final: true,
          speech_final: true,
        }),
      ],
      [
        {
          type: 'final',
          text: 'Hello, Ada.',
          words: [
            { text: 'Hello,', startMs: 1200, endMs: 1500 },
            { text: 'Ada.', startMs: 1600, endMs: 2040 },
          ],
          startMs: 1200,
          endMs: 2040,
        },
      ],
    ],
    [
      'a result without times of words and with a language',
      [
        results('', [], {
          is_final: true,
          channel: { alternatives: [{ transcript: 'Hola', languages: ['es', 'en'] }] },
        }),
      ],
      [{ type: 'final', text: 'Hola', words: [], startMs: 1000, endMs: 2980, language: 'es' }],
    ],
    [
      'words that turned out to be noise',
      [results('Uh', [word('Uh', 1, 1.2)]), results('', [], { is_final: true }), results('', [])],
      [
        { type: 'interim', text: 'Uh', endMs: 1200 },
        { type: 'interim', text: '', endMs: 2980 },
      ],
    ],
    ['silence', [results('', [], { is_final: true }), { type: 'Results', channel: { alternatives: [] } }], []],
    [
      'the end of an utterance',
      [{ type: 'UtteranceEnd', channel: [0, 1], last_word_end: 2.395 }],
      [{ type: 'end_of_turn', atMs: 2395 }],
    ],
    ['the end of an utterance without final words', [{ type: 'UtteranceEnd', channel: [0, 1], last_word_end: -1 }], []],
    [
      'an error',
      [{ type: 'Error', description: 'The audio is damaged.', variant: 'BAD_AUDIO' }],
      [{ type: 'error', code: 'BAD_AUDIO', message: 'The audio is damaged.' }],
    ],
    [
      'metadata and types of later versions',
      [
        { type: 'Metadata', duration: 3 },
        { type: 'Mood', mood: 'good' },
      ],
      [],
    ],
  ])('%s', async (_, messages, events) => expect(await eventsOf('deepgram', messages)).toEqual(events));

  it.each([
    ['{"type":"Results"', undefined],
    ['[]', undefined],
    ['{"kind":"Results"}', undefined],
    ['{"type":"Results"}', undefined],
    ['{"type":"Results","channel":{"alternatives":[{"transcript":5}]}}', undefined],
    ['{"type":"Results","start":1e999,"channel":{"alternatives":[]}}', undefined],
    ['{"type":"SpeechStarted","timestamp":null}', { type: 'SpeechStarted', timestamp: 0 }],
    ['{"type":"constructor"}', { type: 'unknown' }],
  ])('%s is read as %j', (json, message) => expect(readDeepgramMessage(json)).toEqual(message));

  it.each<[Partial<TranscriptionRequest>, string, Record<string, string[]>]>([
    [{}, 'nova-3', { encoding: ['mulaw'], sample_rate: ['8000'], language: ['en'], endpointing: ['300'], keyterm: [] }],
    [{ audio: A_LAW, language: 'de-DE', languages: ['de-DE'] }, 'nova-3', { encoding: ['alaw'], language: ['de'] }],
    [
      { audio: WIDEBAND, language: 'pt-br', languages: [] },
      'nova-3',
      { encoding: ['linear16'], sample_rate: ['16000'], language: ['pt-BR'] },
    ],
    [{ languages: ['en', 'de'] }, 'nova-3', { language: ['multi'], endpointing: ['100'] }],
    [{ language: undefined, languages: [] }, 'nova-3', { language: ['multi'] }],
    [{ keywords: ['Ada Tea', ' Ada Tea', ''] }, 'nova-3', { keyterm: ['Ada Tea', 'Earl'], keywords: [] }],
    [{ keywords: ['Ada Tea'] }, 'nova-2', { keyterm: [], keywords: ['Ada Tea', 'Earl'] }],
  ])('the request %j to %s has the parameters %j', (changes, model, wanted) => {
    const keywords = changes.keywords ? ['Earl'] : [];
    const options = { name: 'd', url: '', model, clock: systemClock };
    const request = { ...english, ...changes, keywords: [...(changes.keywords ?? []), ...keywords] };
    const query = new URLSearchParams(deepgramQuery(options, request));
    for (const [name, values] of Object.entries(wanted)) expect([name, query.getAll(name)]).toEqual([name, values]);
    for (const name of ['interim_results', 'vad_events', 'punctuate']) expect(query.get(name)).toBe('true');
  });

  it('no more keyterms are sent than the vendor takes', () => {
    const keywords = Array.from({ length: 500 }, (_, i) => `keyword number ${i}`);
    const options = { name: 'd', url: '', model: 'nova-3', clock: systemClock };
    const query = new URLSearchParams(deepgramQuery(options, { ...english, keywords }));
    expect(query.getAll('keyterm').length).toBeGreaterThan(50);
    expect(query.getAll('keyterm').join('').length).toBeLessThan(1_501);
  });

  it('the key, flushes and the end are sent as the protocol has them, and a quiet stream is kept alive', async () => {
    const clock = new TestClock();
    const { stream } = await opened('deepgram', { clock });
    expect(server.requests[0]!.headers.authorization).toBe('Token k');
    expect(server.requests[0]!.url).toMatch(/^\/v1\/listen\?model=nova-3&/);
    stream.send(silence(MU_LAW));
    clock.advance(4_000);
    clock.advance(4_000);
    stream.flush();
    stream.close();
    await server.until(() => server.closes.length > 0);
    expect(server.received.map(({ type }) => type)).toEqual(['KeepAlive', 'Finalize', 'CloseStream']);
    expect(server.audio.map((audio) => audio.length)).toEqual([160]);
  });

  it('Flux models, which speak another protocol, are refused with a sentence', () => {
    const settings = { vendors: { deepgram: { url: 'https://api.deepgram.com', key: 'k' } } };
    expect(deepgram.problem({ provider: 'deepgram', model: 'flux-general-en' }, { settings })).toContain('Nova');
    expect(deepgram.problem({ provider: 'deepgram' }, { settings })).toBeUndefined();
  });
});

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
    expect(withoutUsage(await eventsOf('assemblyai', messages, model))).toEqual(events),
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
    const { stream, events } = await opened('assemblyai', { clock });
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

  it('a turn that the agent ended early is no opinion of the vendor', async () => {
    const { stream, of, until } = await opened('assemblyai');
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
    const { stream, of, until } = await opened('assemblyai', { clock, model: STREAMING });
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
    const { until } = await opened('assemblyai');
    server.send({ type: 'Error', error_code: code, error: text });
    const [closed] = await until('closed');
    expect(closed).toEqual({ type: 'closed', reason: text, ...(final ? { final } : {}) });
  });
});

const AUDIO = 'input_audio_buffer';
const TEXT = 'conversation.item.input_audio_transcription';
const said = (item: string, transcript: string, more: object = {}) => ({
  type: `${TEXT}.completed`,
  event_id: 'event_2122',
  item_id: item,
  content_index: 0,
  transcript,
  ...more,
});
const SERVER_VAD = 'gpt-4o-transcribe';

describe('messages of OpenAI', () => {
  const started = (id: string, ms: number) => ({ type: `${AUDIO}.speech_started`, item_id: id, audio_start_ms: ms });
  const stopped = (id: string, ms: number) => ({ type: `${AUDIO}.speech_stopped`, item_id: id, audio_end_ms: ms });
  const committed = (id: string) => ({ type: `${AUDIO}.committed`, item_id: id, previous_item_id: null });
  const delta = (id: string, text: string) => ({ type: `${TEXT}.delta`, item_id: id, content_index: 0, delta: text });
  const final = (text: string, startMs: number, endMs: number) => ({ type: 'final', text, words: [], startMs, endMs });

  it.each<[string, object[], object[]]>([
    [
      'an utterance',
      [
        started('i1', 700),
        stopped('i1', 2_300),
        committed('i1'),
        delta('i1', 'Hello'),
        delta('i1', ' Ada.'),
        said('i1', 'Hello Ada.'),
      ],
      [
        { type: 'speech_started', atMs: 1_000 },
        { type: 'interim', text: 'Hello', endMs: 2_000 },
        { type: 'interim', text: 'Hello Ada.', endMs: 2_000 },
        final('Hello Ada.', 1_000, 2_000),
      ],
    ],
    [
      'transcriptions in another order',
      [
        started('i1', 0),
        stopped('i1', 1_300),
        committed('i1'),
        started('i2', 1_700),
        stopped('i2', 3_300),
        committed('i2'),
        said('i2', 'Two.'),
        said('i1', 'One.'),
      ],
      [
        { type: 'speech_started', atMs: 0 },
        { type: 'speech_started', atMs: 2_000 },
        final('One.', 0, 1_000),
        final('Two.', 2_000, 3_000),
      ],
    ],
    [
      'a failed transcription and noise',
      [
        started('i1', 0),
        committed('i1'),
        {
          type: `${TEXT}.failed`,
          item_id: 'i1',
          error: { type: 'transcription_error', code: 'audio_unintelligible', message: 'No.' },
        },
        started('i2', 0),
        delta('i2', 'Uh'),
        said('i2', ''),
      ],
      [
        { type: 'speech_started', atMs: 0 },
        { type: 'error', code: 'audio_unintelligible', message: 'No.' },
        { type: 'speech_started', atMs: 0 },
        { type: 'interim', text: 'Uh', endMs: 0 },
        { type: 'interim', text: '', endMs: 0 },
      ],
    ],
    [
      'tokens and seconds as usage',
      [
        committed('i1'),
        said('i1', 'Hi.', {
          usage: {
            type: 'tokens',
            total_tokens: 22,
            input_tokens: 13,
            input_token_details: { text_tokens: 3, audio_tokens: 10 },
            output_tokens: 9,
          },
        }),
        committed('i2'),
        said('i2', '', { usage: { type: 'duration', seconds: 1.5 } }),
        said('i2', '', { usage: { type: 'credits', credits: 1 } }),
      ],
      [
        {
          type: 'usage',
          items: [
            { kind: 'transcription_text_tokens', quantity: 0.003 },
            { kind: 'transcription_audio_tokens', quantity: 0.01 },
            { kind: 'transcription_output_tokens', quantity: 0.009 },
          ].map((item) => ({ ...item, unit: 'thousand_tokens', source: 'openai:gpt-4o-transcribe' })),
        },
        final('Hi.', 0, 0),
        {
          type: 'usage',
          items: [{ kind: 'transcription_seconds', quantity: 1.5, unit: 'second', source: 'openai:gpt-4o-transcribe' }],
        },
        expect.objectContaining({ type: 'error', code: 'usage_not_believed' }) as object,
      ],
    ],
    [
      'the detected language',
      [committed('i1'), said('i1', 'Hola.', { languages: [{ code: 'es' }], logprobs: null })],
      [{ ...final('Hola.', 0, 0), language: 'es' }],
    ],
    [
      'an error after which the session continues, and one without a meaning',
      [
        { type: 'error', event_id: 'e', error: { type: 'server_error', code: null, message: 'Oops.', param: null } },
        {
          type: 'error',
          event_id: 'e',
          error: { type: 'invalid_request_error', code: 'input_audio_buffer_commit_empty' },
        },
        { type: 'rate_limits.updated', rate_limits: [] },
      ],
      [{ type: 'error', code: 'server_error', message: 'Oops.' }],
    ],
  ])('%s', async (_, messages, events) => expect(await eventsOf('openai', messages, SERVER_VAD)).toEqual(events));

  it.each([
    [`{"type":"${TEXT}.completed","item_id":"i"}`, undefined],
    [`{"type":"${AUDIO}.speech_started","item_id":"i","audio_start_ms":"5"}`, undefined],
    ['{"type":"error"}', undefined],
    ['{"type":"session.created","session":null}', { type: 'unknown' }],
  ])('%s is read as %j', (json, message) => expect(readOpenAiMessage(json)).toEqual(message));

  it('an error that no retry repairs ends the stream for good', async () => {
    const { until } = await opened('openai');
    server.send({ type: 'error', error: { code: 'insufficient_quota', message: 'Pay.' } });
    expect((await until('closed'))[0]).toEqual({ type: 'closed', reason: 'Pay.', final: true });
  });

  it.each<[Partial<TranscriptionRequest>, string, object, object]>([
    [{}, 'gpt-live-transcribe', { language: 'en' }, { format: { type: 'audio/pcmu' }, turn_detection: null }],
    [
      { audio: WIDEBAND, languages: ['en', 'de-DE'], keywords: ['Ada'] },
      'gpt-transcribe',
      { languages: ['en', 'de'], keywords: ['Ada'] },
      { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null },
    ],
    [{ keywords: ['Ada'] }, 'gpt-realtime-whisper', { language: 'en' }, { turn_detection: null }],
    [
      { audio: A_LAW, keywords: ['Ada', 'Earl'] },
      SERVER_VAD,
      { language: 'en', prompt: 'Ada, Earl' },
      { format: { type: 'audio/pcma' }, turn_detection: expect.objectContaining({ type: 'server_vad' }) as object },
    ],
    [{ languages: ['en', 'de'] }, 'whisper-1', {}, {}],
  ])('the request %j to %s has the transcription %j in %j', (changes, model, transcription, input) => {
    const options = { name: 'o', url: '', model, clock: systemClock };
    const session = openAiSession(options, { ...english, ...changes });
    expect(session).toMatchObject({ type: 'transcription', audio: { input } });
    expect(session.audio.input.transcription).toEqual({ model, ...transcription });
  });

  it('speech is committed when it ends, and at once when the agent asks for it', async () => {
    const { stream, of, until } = await opened('openai');
    expect(server.requests[0]).toMatchObject({
      url: '/realtime?intent=transcription',
      headers: { authorization: 'Bearer k' },
    });
    const commits = () => server.received.filter(({ type }) => type === `${AUDIO}.commit`).length;
    stream.flush();
    for (const frame of await utterance(MU_LAW, 1_000)) stream.send(frame);
    await server.until(() => commits() > 0);
    for (const frame of (await utterance(MU_LAW, 1_000)).slice(0, 40)) stream.send(frame);
    stream.flush();
    stream.flush();
    await server.until(() => commits() > 2);
    server.send(
      committed('i1'),
      committed('i2'),
      committed('i3'),
      said('i1', 'One.'),
      said('i2', 'Two.'),
      said('i3', ''),
    );
    const [one, two] = await until('final', 2);
    expect(commits()).toBe(3);
    expect(of('speech_started')).toHaveLength(2);
    expect(one!.endMs - one!.startMs).toBeGreaterThan(700);
    expect(two!.startMs).toBeGreaterThan(one!.endMs);
    stream.close();
  });

  it('words that the server hears in silence begin an utterance, which can be flushed', async () => {
    const { stream, until } = await opened('openai');
    for (let i = 0; i < 50; i++) stream.send(silence(MU_LAW));
    server.send(delta('i1', 'Psst'));
    expect((await until('speech_started'))[0]).toEqual({ type: 'speech_started', atMs: 1_000 });
    stream.flush();
    server.send(committed('i1'), said('i1', 'Psst!'));
    expect((await until('final'))[0]).toMatchObject({ text: 'Psst!', startMs: 1_000 });
    await server.until(() => server.received.some(({ type }) => type === `${AUDIO}.commit`));
    stream.close();
  });
});

describe('the usage of a stream', () => {
  it.each([
    ['the client closes', () => undefined],
    ['the connection is lost', () => server.clients[0]!.terminate()],
  ])('Deepgram bills the audio once when %s', async (_, lose) => {
    const { stream, of, until } = await opened('deepgram', { request: { ...english, audio: WIDEBAND } });
    for (let i = 0; i < 51; i++) stream.send(silence(WIDEBAND));
    await server.until(() => server.audio.length === 51);
    lose();
    if (_.includes('lost')) await until('closed');
    stream.close();
    stream.close();
    const items = of('usage').flatMap((event) => event.items);
    expect(items).toEqual([
      { kind: 'transcription_seconds', quantity: 1.02, unit: 'second', source: 'deepgram:nova-3' },
    ]);
    expect(totalUsage(items)).toEqual(items);
  });
});
