import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcceptedStream } from '../../../../test/accepted-stream.js';
import { A_LAW, english, MU_LAW, silence, utterance, WIDEBAND } from '../../../../test/transcribing.js';
import { TestClock } from '../../../../test/test-clock.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { systemClock } from '../../../clock.js';
import type { TranscriptionRequest } from '../ports.js';
import { openAi, openAiSession, readOpenAiMessage } from './openai-transcriber.js';

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

const bench = new AcceptedStream(openAi, 'openai', () => server);

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
        expect.objectContaining({ type: 'error', code: 'usage_not_believed' }),
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
  ])('%s', async (_, messages, events) => expect(await bench.eventsOf(messages, SERVER_VAD)).toEqual(events));

  it.each([
    [`{"type":"${TEXT}.completed","item_id":"i"}`, undefined],
    [`{"type":"${AUDIO}.speech_started","item_id":"i","audio_start_ms":"5"}`, undefined],
    ['{"type":"error"}', undefined],
    ['{"type":"session.created","session":null}', { type: 'unknown' }],
  ])('%s is read as %j', (json, message) => expect(readOpenAiMessage(json)).toEqual(message));

  it('an error that no retry repairs ends the stream for good', async () => {
    const { until } = await bench.open();
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
    const { stream, of, until } = await bench.open();
    expect(server.requests[0]).toMatchObject({
      url: '/realtime?intent=transcription',
      headers: { authorization: 'Bearer k' },
    });
    const commits = () => server.received.filter(({ type }) => type === `${AUDIO}.commit`).length;
    stream.flush();
    for (const frame of await utterance(MU_LAW, 1_000)) stream.send(frame);
    await server.until(() => commits() > 0);
    const spoken = await utterance(MU_LAW, 1_000);
    for (const frame of spoken.slice(0, 40)) stream.send(frame);
    stream.flush();
    // The vendor refuses less than 100 ms.
    stream.flush();
    for (const frame of spoken.slice(40)) stream.send(frame);
    await server.until(() => commits() > 2);
    server.send(
      committed('i1'),
      committed('i2'),
      committed('i3'),
      said('i1', 'One.'),
      said('i2', 'Two'),
      said('i3', 'three.'),
    );
    const [one, two, three] = await until('final', 3);
    expect(commits()).toBe(3);
    expect(of('speech_started')).toHaveLength(2);
    expect(one!.endMs - one!.startMs).toBeGreaterThan(700);
    expect(two!.startMs).toBeGreaterThan(one!.endMs);
    expect(three!.startMs).toBe(two!.endMs);
    stream.close();
  });

  it('a transcription that never comes holds up the later ones for 2 s only', async () => {
    const clock = new TestClock();
    const { stream, of, until } = await bench.open({ clock, model: SERVER_VAD });
    server.send(started('i1', 0), committed('i1'), started('i2', 900), committed('i2'), said('i2', 'Two.'));
    server.send(started('i3', 1_900), delta('i3', 'Thr'));
    await until('speech_started', 3);
    clock.advance(1_900);
    expect(of('final')).toEqual([]);
    clock.advance(100);
    expect(of('final')).toMatchObject([{ text: 'Two.', startMs: 1_200 }]);
    stream.close();
  });

  it('words that the server hears in silence begin an utterance, which can be flushed', async () => {
    const { stream, of, until } = await bench.open();
    for (let i = 0; i < 50; i++) stream.send(silence(MU_LAW));
    server.send(delta('i1', 'Psst'));
    expect((await until('speech_started'))[0]).toEqual({ type: 'speech_started', atMs: 1_000 });
    for (const frame of (await utterance(MU_LAW, 500)).slice(0, 40)) stream.send(frame);
    stream.flush();
    server.send(committed('i1'), said('i1', 'Psst!'));
    expect((await until('final'))[0]).toMatchObject({ text: 'Psst!', startMs: 1_000 });
    expect(of('speech_started')).toHaveLength(1);
    await server.until(() => server.received.some(({ type }) => type === `${AUDIO}.commit`));
    stream.close();
  });
});
