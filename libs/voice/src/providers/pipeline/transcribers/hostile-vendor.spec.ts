import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SeededRandom } from '../../../../../../test/support/seeded-random.js';
import { acceptAs } from '../../../../test/accepted-stream.js';
import { broken } from '../../../../test/hostile-events.js';
import { TestClock } from '../../../../test/test-clock.js';
import { MU_LAW, send, transcribing, utterance } from '../../../../test/transcribing.js';
import { VendorSocket } from '../../../../test/vendor-socket.js';
import { isPlausible } from '../../../usage.js';
import type { TranscriberKind } from '../leg-registry.js';
import { assemblyAi, readAssemblyAiMessage } from './assemblyai-transcriber.js';
import { readFluxMessage } from './deepgram-flux.js';
import { deepgram, readDeepgramMessage } from './deepgram-transcriber.js';
import { openAi, readOpenAiMessage } from './openai-transcriber.js';

const MESSAGES = 3_000;
const TEXT = 'conversation.item.input_audio_transcription';
const WORD = { word: 'tea', punctuated_word: 'Tea.', start: 1, end: 1.5 };

interface Hostile {
  kind: TranscriberKind;
  /** Of the vendor `deepgram`. */
  model?: string;
  read: (json: string) => object | undefined;
  /** One example of each message that is used. */
  examples: Record<string, unknown>[];
  /** The words of a final part that ends the test. */
  last: object[];
}

const VENDORS: Record<'deepgram' | 'flux' | 'assemblyai' | 'openai', Hostile> = {
  deepgram: {
    kind: deepgram,
    read: readDeepgramMessage,
    examples: [
      { type: 'Results', start: 1, duration: 2, channel: { alternatives: [{ transcript: 'Tea', words: [WORD] }] } },
      { type: 'Results', is_final: true, channel: { alternatives: [{ transcript: 'Tea.', words: [WORD] }] } },
      { type: 'SpeechStarted', channel: [0], timestamp: 1.5 },
      { type: 'UtteranceEnd', channel: [0, 1], last_word_end: 2.5 },
      { type: 'Error', description: 'No.', variant: 'X' },
      { type: 'Metadata', duration: 3 },
    ],
    last: [{ type: 'Results', is_final: true, channel: { alternatives: [{ transcript: 'The end.' }] } }],
  },
  flux: {
    kind: deepgram,
    model: 'flux-general-en',
    read: readFluxMessage,
    examples: [
      { type: 'Connected', request_id: 'r', sequence_id: 0 },
      { type: 'TurnInfo', event: 'StartOfTurn', turn_index: 0, transcript: 'Tea', words: [WORD] },
      { type: 'TurnInfo', event: 'Update', audio_window_start: 1, audio_window_end: 2, transcript: 'Tea' },
      { type: 'TurnInfo', event: 'EagerEndOfTurn', transcript: 'Tea.', words: [WORD], languages: ['en'] },
      { type: 'TurnInfo', event: 'TurnResumed', transcript: 'Tea.' },
      { type: 'TurnInfo', event: 'EndOfTurn', transcript: 'Tea.', words: [WORD], trigger: 'model' },
      { type: 'ConfigureSuccess', thresholds: {} },
    ],
    last: [{ type: 'TurnInfo', event: 'EndOfTurn', transcript: 'The end.' }],
  },
  assemblyai: {
    kind: assemblyAi,
    read: readAssemblyAiMessage,
    examples: [
      { type: 'SpeechStarted', timestamp: 20 },
      {
        type: 'Turn',
        turn_order: 0,
        end_of_turn: false,
        transcript: 'tea',
        words: [{ text: 'tea', start: 1, end: 2 }],
      },
      {
        type: 'Turn',
        turn_order: 1,
        end_of_turn: true,
        transcript: 'Tea.',
        words: [{ text: 'Tea.', start: 1, end: 2 }],
      },
      { type: 'Warning', warning_code: 7, warning: 'Slow.' },
      { type: 'Termination', audio_duration_seconds: 3 },
    ],
    last: [{ type: 'Turn', turn_order: 1_000_000_000, end_of_turn: true, transcript: 'The end.' }],
  },
  openai: {
    kind: openAi,
    read: readOpenAiMessage,
    examples: [
      { type: 'input_audio_buffer.speech_started', item_id: 'i1', audio_start_ms: 100 },
      { type: 'input_audio_buffer.speech_stopped', item_id: 'i1', audio_end_ms: 900 },
      { type: 'input_audio_buffer.committed', item_id: 'i1' },
      { type: `${TEXT}.delta`, item_id: 'i1', delta: 'Tea' },
      {
        type: `${TEXT}.completed`,
        item_id: 'i1',
        transcript: 'Tea.',
        usage: { type: 'tokens', input_tokens: 10, output_tokens: 2, input_token_details: { audio_tokens: 10 } },
      },
      { type: `${TEXT}.completed`, item_id: 'i1', transcript: 'Tea.', usage: { type: 'duration', seconds: 1.5 } },
      { type: `${TEXT}.failed`, item_id: 'i1', error: { code: 'c', message: 'm' } },
      { type: 'error', error: { type: 't', code: 'c', message: 'm' } },
    ],
    // More utterances than are kept: the unfinished ones are given up.
    last: Array.from({ length: 60 }, (_, i) => [
      { type: 'input_audio_buffer.committed', item_id: `last${i}` },
      { type: `${TEXT}.completed`, item_id: `last${i}`, transcript: 'The end.' },
    ]).flat(),
  },
};
const NAMES = Object.keys(VENDORS) as (keyof typeof VENDORS)[];

let server: VendorSocket;

beforeEach(async () => {
  server = await VendorSocket.start();
});
afterEach(() => server.stop());

const nameOf = (vendor: keyof typeof VENDORS) => (vendor === 'flux' ? 'deepgram' : vendor);
const modelOf = (vendor: keyof typeof VENDORS) => ({ model: VENDORS[vendor].model });

const opened = (vendor: keyof typeof VENDORS, more: { clock?: TestClock } = {}) => {
  acceptAs(vendor, server);
  return transcribing(VENDORS[vendor].kind, nameOf(vendor), {
    server: { url: server.url },
    ...modelOf(vendor),
    ...more,
  });
};

describe.each(NAMES)('a server of %s that misbehaves', (vendor) => {
  const { read, examples, last } = VENDORS[vendor];

  it(`${MESSAGES} odd messages cause no exception, and their usage can be billed`, async () => {
    const random = new SeededRandom(`transcriber ${vendor}`);
    const messages = Array.from({ length: MESSAGES }, () =>
      random.chance(0.3) ? JSON.stringify(random.pick(examples)) : broken(random.pick(examples), random),
    );
    const { stream, events, untilSome } = await opened(vendor);
    const understood = messages.filter(
      (json) => read(json) !== undefined && !/insufficient|"type":"Error","error/.test(json),
    );
    expect(understood.length).toBeGreaterThan(MESSAGES / 3);
    server.send(...understood, ...last);
    await untilSome((event) => event.type === 'final' && event.text === 'The end.');
    stream.close();
    const items = events.flatMap((event) => (event.type === 'usage' ? event.items : []));
    expect(items.every(isPlausible)).toBe(true);
    const times = events.flatMap((event) =>
      ['atMs', 'startMs', 'endMs'].map((name) => (event as never)[name] as unknown),
    );
    expect(times.every((ms) => ms === undefined || (Number.isInteger(ms) && Math.abs(ms as number) < 1e10))).toBe(true);
    expect(events.at(-1)!.type).toBe('closed');
  });

  it.each([
    ['no JSON', '{"type":'],
    ['a list', '[1]'],
    ['a message without a type', '{"text":"tea"}'],
    ['a message of 5 MB', `{"type":"Mood","mood":"${'x'.repeat(5_000_000)}"}`],
  ])('%s ends the stream', async (_, message) => {
    const { until, events } = await opened(vendor);
    server.send(message);
    await until('closed');
    expect(events.at(-1)!.type).toBe('closed');
  });

  it('an endless stream of messages ends the stream', async () => {
    const { until } = await opened(vendor);
    for (let i = 0; i < 31_000; i++) server.send('{"type":"Mood"}');
    expect((await until('closed'))[0]).toMatchObject({ reason: 'The server exceeded the receive limit.' });
  });

  it('binary messages end the stream', async () => {
    const { until } = await opened(vendor);
    server.clients[0]!.send(Buffer.from('{"type":"Mood"}'));
    expect((await until('closed'))[0]).toMatchObject({ reason: 'The server sent an invalid event.' });
  });

  it.each([0, 1, 50, 2_000])('a server that hangs up after %d frames leaves nothing behind', async (frames) => {
    const { stream, until, events } = await opened(vendor);
    send(stream, (await utterance(MU_LAW, 1_000)).slice(0, frames));
    server.clients[0]!.terminate();
    await until('closed');
    send(stream, await utterance(MU_LAW, 200));
    stream.flush();
    stream.close();
    expect(events.filter(({ type }) => type === 'closed')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'usage').length).toBeLessThan(2);
  });

  it('no timer is left after the end', async () => {
    const clock = new TestClock();
    const { stream } = await opened(vendor, { clock });
    send(stream, await utterance(MU_LAW, 300));
    stream.close();
    await server.until(() => server.closes.length > 0);
    // The close handshake completes with the answer of the server.
    while (clock.pendingTimers > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pendingTimers).toBe(0);
  });

  it('a first message in the packet of the handshake is not lost', async () => {
    const first = {
      deepgram: examples[2]!,
      flux: examples[0]!,
      assemblyai: { type: 'Begin' },
      openai: { type: 'session.updated', session: {} },
    };
    const raw = createServer((socket) => {
      socket.once('data', (request) => {
        const key = /sec-websocket-key: (.+)\r\n/i.exec(request.toString())![1]!;
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        const head = [
          'HTTP/1.1 101 Ok',
          'Upgrade: websocket',
          'Connection: Upgrade',
          `Sec-WebSocket-Accept: ${accept}`,
        ];
        const json = Buffer.from(JSON.stringify(first[vendor]));
        socket.write(
          Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from([0x81, json.length]), json]),
        );
      });
      socket.on('error', () => socket.destroy());
    });
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const url = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`;
    const { stream, of, until } = await transcribing(VENDORS[vendor].kind, nameOf(vendor), {
      server: { url },
      ...modelOf(vendor),
    });
    // The first message of the others accepts the session.
    if (vendor === 'deepgram') await until('speech_started');
    stream.close();
    raw.close();
    expect(of('closed')).toHaveLength(1);
  });

  it('a key is not sent unencrypted over the Internet', async () => {
    const attempt = transcribing(VENDORS[vendor].kind, nameOf(vendor), {
      server: { url: 'http://8.8.8.8', key: 'k' },
      ...modelOf(vendor),
    });
    await expect(attempt).rejects.toThrow('unencrypted');
  });
});
