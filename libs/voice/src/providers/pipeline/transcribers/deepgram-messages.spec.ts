import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcceptedStream } from '../../../../test/accepted-stream.js';
import { A_LAW, english, MU_LAW, silence, WIDEBAND } from '../../../../test/transcribing.js';
import { TestClock } from '../../../../test/test-clock.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { systemClock } from '../../../clock.js';
import type { TranscriberEvent, TranscriptionRequest } from '../ports.js';
import { deepgram, deepgramQuery, readDeepgramMessage } from './deepgram-transcriber.js';

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

const bench = new AcceptedStream(deepgram, 'deepgram', () => server);

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
  ])('%s', async (_, messages, events) => expect(await bench.eventsOf(messages)).toEqual(events));

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
    [{ languages: ['en', 'de'] }, 'enhanced', { language: ['en'], endpointing: ['300'] }],
    [{ language: undefined, languages: [] }, 'nova-phonecall', { language: ['en'] }],
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
    const { stream } = await bench.open({ clock });
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
});

describe('the usage of Deepgram', () => {
  it.each(['closed', 'lost'])('is the sent audio, once, when the stream is %s', async (how) => {
    const { stream, of, until } = await bench.open({ request: { ...english, audio: WIDEBAND } });
    for (let i = 0; i < 51; i++) stream.send(silence(WIDEBAND));
    await server.until(() => server.audio.length === 51);
    if (how === 'lost') {
      server.clients[0]!.terminate();
      await until('closed');
    }
    stream.close();
    stream.close();
    expect(of('usage')).toEqual([
      {
        type: 'usage',
        items: [{ kind: 'transcription_seconds', quantity: 1.02, unit: 'second', source: 'deepgram:nova-3' }],
      },
    ]);
  });
});
