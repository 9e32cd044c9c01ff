import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcceptedStream } from '../../../../test/accepted-stream.js';
import { A_LAW, english, MU_LAW, silence, WIDEBAND } from '../../../../test/transcribing.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { systemClock } from '../../../clock.js';
import type { TranscriberEvent, TranscriptionRequest } from '../ports.js';
import { fluxQuery, readFluxMessage } from './deepgram-flux.js';
import { deepgram } from './deepgram-transcriber.js';

const MODEL = 'flux-general-en';

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

const bench = new AcceptedStream(deepgram, 'deepgram', () => server, 'flux');

const word = (text: string, start: number, end: number) => ({ word: text, start, end, confidence: 0.98 });
const TEA = [word('Tea,', 1.2, 1.5), word('please.', 1.6, 2.04)];
const TIMED = [
  { text: 'Tea,', startMs: 1_200, endMs: 1_500 },
  { text: 'please.', startMs: 1_600, endMs: 2_040 },
];
const turn = (event: string, transcript: string, words: object[], more: object = {}) => ({
  type: 'TurnInfo',
  request_id: 'r',
  sequence_id: 1,
  event,
  turn_index: 0,
  audio_window_start: 1,
  audio_window_end: 2.5,
  transcript,
  words,
  end_of_turn_confidence: 0.4,
  ...more,
});
const interim = { type: 'interim' as const, text: 'Tea, please.', endMs: 2_040 };

describe('messages of Flux', () => {
  it.each<[string, object[], TranscriberEvent[]]>([
    [
      'the start of a turn',
      [turn('StartOfTurn', 'Tea,', TEA.slice(0, 1))],
      [
        { type: 'speech_started', atMs: 1_200 },
        { type: 'interim', text: 'Tea,', endMs: 1_500 },
      ],
    ],
    ['updates without words', [turn('Update', '', []), turn('Update', '', [])], []],
    [
      'words that turned out to be noise',
      [turn('Update', 'Uh', [word('Uh', 1, 1.2)]), turn('Update', '', []), turn('EndOfTurn', '', [])],
      [
        { type: 'interim', text: 'Uh', endMs: 1_200 },
        { type: 'interim', text: '', endMs: 2_500 },
        { type: 'end_of_turn', atMs: 2_500 },
      ],
    ],
    [
      'an early end, and a turn that goes on',
      [turn('EagerEndOfTurn', 'Tea, please.', TEA), turn('TurnResumed', 'Tea, please.', TEA)],
      [interim, { type: 'may_end', atMs: 2_040 }, interim, { type: 'resumed', atMs: 2_040 }],
    ],
    [
      'the end of a turn, with its language',
      [turn('EndOfTurn', 'Tea, please.', TEA, { trigger: 'model', languages: ['en', 'de'] })],
      [
        { ...interim, type: 'final', words: TIMED, startMs: 1_200, language: 'en' },
        { type: 'end_of_turn', atMs: 2_040 },
      ],
    ],
    [
      'words without times',
      [turn('EndOfTurn', 'Tea', [{ word: 'Tea', confidence: 1 }])],
      [
        { type: 'final', text: 'Tea', words: [], startMs: 1_000, endMs: 2_500 },
        { type: 'end_of_turn', atMs: 2_500 },
      ],
    ],
    ['events and types of later versions', [turn('Mood', '', []), { type: 'ConfigureSuccess' }, { type: 'Mood' }], []],
  ])('%s', async (_, messages, events) => expect(await bench.eventsOf(messages, MODEL)).toEqual(events));

  it('an error of the vendor ends the stream with its sentence, and a session that begins with one is refused', async () => {
    const error = { type: 'Error', sequence_id: 3, code: 'INTERNAL_SERVER_ERROR', description: 'We failed.' };
    const { events, until } = await bench.open({ model: MODEL });
    server.send(error);
    await until('closed');
    expect(events).toEqual([{ type: 'closed', reason: 'We failed.' }]);
    const opening = bench.open({ model: MODEL });
    server.onConnection = (socket) => socket.send(JSON.stringify(error));
    await expect(opening).rejects.toThrow('The server of deepgram:flux-general-en rejected the session: We failed.');
  });

  it.each([
    ['{"type":"TurnInfo"}', undefined],
    ['{"type":"TurnInfo","event":"Update","transcript":5}', undefined],
    ['{"type":"TurnInfo","event":"Update","audio_window_end":1e999}', undefined],
    ['{"type":"Connected"}', { type: 'Connected' }],
  ])('%s is read as %j', (json, message) => expect(readFluxMessage(json)).toEqual(message));

  it.each<[Partial<TranscriptionRequest>, string, Record<string, string[]>]>([
    [{}, MODEL, { encoding: ['mulaw'], sample_rate: ['8000'], eager_eot_threshold: ['0.5'], language_hint: [] }],
    [{ audio: A_LAW }, MODEL, { encoding: ['alaw'] }],
    [{ audio: WIDEBAND }, MODEL, { encoding: ['linear16'], sample_rate: ['16000'] }],
    [{ language: 'de-DE', languages: ['de-DE', 'en'] }, 'flux-general-multi', { language_hint: ['de', 'en'] }],
    [{ language: undefined, languages: [] }, 'flux-general-multi', { language_hint: [] }],
    [{ keywords: ['Ada Tea', ' Ada Tea', ''] }, MODEL, { keyterm: ['Ada Tea'] }],
  ])('the request %j to %s has the parameters %j', (changes, model, wanted) => {
    const options = { name: 'd', url: '', model, clock: systemClock };
    const query = new URLSearchParams(fluxQuery(options, { ...english, ...changes }));
    for (const [name, values] of Object.entries(wanted)) expect([name, query.getAll(name)]).toEqual([name, values]);
  });

  it('the key, 80 ms of audio at a time and the end are sent, and no end of a turn; the usage is the sent audio', async () => {
    const { stream, of } = await bench.open({ model: MODEL });
    expect(server.requests[0]!.headers.authorization).toBe('Token k');
    expect(server.requests[0]!.url).toMatch(/^\/v2\/listen\?model=flux-general-en&/);
    for (let i = 0; i < 9; i++) stream.send(silence(MU_LAW));
    stream.flush();
    stream.close();
    await server.until(() => server.closes.length > 0);
    expect(server.received.map(({ type }) => type)).toEqual(['CloseStream']);
    expect(server.audio.map((audio) => audio.length)).toEqual([640, 640]);
    const item = { kind: 'transcription_seconds', quantity: 0.16, unit: 'second', source: 'deepgram:flux-general-en' };
    expect(of('usage')).toEqual([{ type: 'usage', items: [item] }]);
  });
});
