import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encode } from '@app/telephony';
import { SeededRandom } from '../../../../../../test/support/seeded-random.js';
import { broken } from '../../../../test/hostile-events.js';
import { failure, KEY, noise, SpeechServer } from '../../../../test/speech-server.js';
import { L16, PCMU, type Spoken, spoken } from '../../../../test/spoken-sentences.js';
import { TestClock } from '../../../../test/test-clock.js';
import { alignedResampler } from '../../../speech/polyphase.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { LegAudio } from '../ports.js';
import { bytesOf } from './sentence-audio.js';

const TEXT = 'Good morning.';
const HTTP = ['elevenlabs', 'deepgram', 'openai'] as const;

const server = new SpeechServer();
afterEach(() => server.close());

const line = (audio: Buffer): string => `${JSON.stringify({ audio_base64: audio.toString('base64') })}\n`;
const asSent = (provider: string, audio: Buffer): string | Buffer => (provider === 'elevenlabs' ? line(audio) : audio);

describe.each(HTTP)('a hostile server of %s', (provider) => {
  it('samples that are cut by pieces arrive whole', async () => {
    const sent = noise(9_600);
    const url = await server.answering((response) => {
      const bytes = bytesOf(sent);
      const cuts = [1, 2, 5, 1_001, 1_002, 7_777, bytes.length];
      cuts.forEach((end, i) => response.write(asSent(provider, bytes.subarray(cuts[i - 1] ?? 0, end))));
      response.end();
    });
    const { audio } = await spoken(await server.synthesizer(url, { provider }), { text: TEXT, audio: L16 });
    const resampler = alignedResampler(24_000, 16_000);
    const resampled = () => Int16Array.from([...resampler.push(sent), ...resampler.end()]);
    expect(audio.equals(bytesOf(provider === 'openai' ? resampled() : sent))).toBe(true);
  });

  it('half a sample at the end is dropped', async () => {
    const url = await server.answering((response) => response.end(asSent(provider, Buffer.alloc(4_801))));
    const { audio } = await spoken(await server.synthesizer(url, { provider }), { text: TEXT, audio: L16 });
    expect(audio).toHaveLength(provider === 'openai' ? 3_200 : 4_800);
  });

  it('a slow reader slows the server, whose audio does not pile up', async () => {
    let sent = 0;
    let blocked = (): void => undefined;
    const isBlocked = new Promise<void>((resolve) => (blocked = resolve));
    const url = await server.answering((response) => {
      const write = (): void => {
        for (let more = true; more && sent < 60_000_000; sent += 960_000)
          more = response.write(asSent(provider, Buffer.alloc(960_000)));
        blocked();
      };
      response.on('drain', write);
      write();
    });
    const sentence = (await server.synthesizer(url, { provider })).speak(
      { text: TEXT, audio: L16 },
      new AbortController().signal,
    );
    const events = sentence[Symbol.asyncIterator]();
    await events.next();
    await isBlocked;
    expect(sent).toBeLessThan(20_000_000);
    await events.return?.();
  });

  it.each([
    ['before the response', () => undefined],
    ['before the audio', (response: ServerResponse) => response.flushHeaders()],
    ['in the audio', (response: ServerResponse) => response.write(asSent(provider, Buffer.alloc(48_000)))],
  ])('an abort %s cancels the request at the server, and the submitted text is billed', async (_, answer) => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let closed: Promise<unknown> = Promise.resolve();
    const url = await server.answering((response) => {
      closed = once(response, 'close').then(() => response.writableFinished);
      answer(response);
      asked();
    });
    const synthesizer = await server.synthesizer(url, { provider }, new TestClock());
    const abort = new AbortController();
    const sentence = spoken(synthesizer, { text: TEXT }, abort.signal);
    await isAsked;
    abort.abort();
    const { usage } = await sentence;
    expect(await closed).toBe(false);
    const characters = {
      kind: 'synthesis_characters',
      quantity: 0.013,
      unit: 'thousand_characters',
      source: synthesizer.name,
    };
    expect(usage.filter(({ kind }) => kind === 'synthesis_characters')).toEqual(
      provider === 'openai' ? [] : [characters],
    );
  });

  it('a server that sends nothing, or single bytes, fails the sentence after 5 s', async () => {
    for (const first of [undefined, Buffer.alloc(1)]) {
      const clock = new TestClock();
      let asked = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      const url = await server.answering((response) => {
        response.flushHeaders();
        if (first) response.write(first);
        asked();
      });
      const failed = failure(spoken(await server.synthesizer(url, { provider }, clock), { text: TEXT }));
      await isAsked;
      clock.advance(5_000);
      expect((await failed).message).toContain('sent no audio for 5 s');
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('audio that is cut off fails the sentence with an error that allows a retry', async () => {
    const url = await server.answering((response) => {
      response.write(asSent(provider, Buffer.alloc(4_800)), () => response.destroy());
    });
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }));
    expect(error).not.toBeInstanceOf(ProviderUnavailable);
    expect(error.message).toMatch(/cut the connection|cannot be reached/);
  });

  it.each([
    ['a page', 'text/html', '<html>Sign in</html>'],
    ['an error as success', 'application/json', '{"error":{"message":"no"}}'],
  ])('%s instead of audio fails the sentence', async (_, type, body) => {
    const url = await server.answering((response) => response.writeHead(200, { 'content-type': type }).end(body));
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }));
    expect(error).not.toBeInstanceOf(ProviderUnavailable);
  });

  it('a redirect is not followed with the key', async () => {
    const paths: (string | undefined)[] = [];
    const url = await server.answering((response, request) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/other' }).end();
    });
    expect(await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }))).toBeInstanceOf(
      ProviderUnavailable,
    );
    expect(paths).toHaveLength(1);
  });

  it.each([
    [400, ProviderUnavailable],
    [401, ProviderUnavailable],
    [402, ProviderUnavailable],
    [403, ProviderUnavailable],
    [404, ProviderUnavailable],
    [408, Error],
    [422, ProviderUnavailable],
    [429, ProviderBusy],
    [500, Error],
    [502, Error],
  ])('the status %d is an error of its kind, without the key', async (status, kind) => {
    const body = JSON.stringify({ detail: { message: `The key ${KEY} is not allowed.` } });
    const url = await server.answering((response) => response.writeHead(status).end(body));
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }));
    expect(error.constructor).toBe(kind);
    expect(error.message).toContain('is not allowed');
    expect(error.message).not.toContain(KEY);
  });

  it('a connection that the server closed between two sentences is replaced', async () => {
    const sockets = new Set<Socket>();
    const url = await server.answering((response) => response.end(asSent(provider, Buffer.alloc(4_800))));
    server.http?.on('connection', (socket: Socket) => sockets.add(socket));
    const synthesizer = await server.synthesizer(url, { provider });
    for (let i = 0; i < 5; i++) {
      expect((await spoken(synthesizer, { text: TEXT })).audio.length).toBeGreaterThan(0);
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    }
  });

  it('an address that is not reachable fails the sentence', async () => {
    const url = await server.answering(() => undefined);
    server.http?.close();
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }));
    expect(error.message).toContain('cannot be reached (ECONNREFUSED)');
  });

  it('a public address without TLS is not used', async () => {
    await expect(server.synthesizer('http://8.8.8.8', { provider })).rejects.toThrow(ProviderUnavailable);
  });
});

// OpenAI's audio takes the same way, and is resampled before.
describe.each(['elevenlabs', 'deepgram'] as const)('a server of %s that does not stop', (provider) => {
  it('endless audio fails the sentence, and the request is cancelled', async () => {
    let closed = Promise.resolve<unknown>(undefined);
    const url = await server.answering((response) => {
      closed = once(response, 'close');
      const write = (): void => {
        while (!response.destroyed && response.write(asSent(provider, Buffer.alloc(96_000)))) continue;
      };
      response.on('drain', write);
      write();
    });
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT, audio: L16 }));
    expect(error.message).toContain('more than 5 min');
    await closed;
  });
});

describe('the lines of ElevenLabs', () => {
  const EXAMPLE = {
    audio_base64: Buffer.alloc(800).toString('base64'),
    alignment: {
      characters: ['H', 'i', ' '],
      character_start_times_seconds: [0, 0.1, 0.2],
      character_end_times_seconds: [0.1, 0.2, 0.3],
    },
    normalized_alignment: null,
  };

  async function lines(...sent: string[]): Promise<Spoken> {
    const url = await server.answering((response) => {
      for (const one of sent) response.write(one);
      response.end();
    });
    return spoken(await server.synthesizer(url, { provider: 'elevenlabs' }), { text: TEXT });
  }

  it('malformed lines end in audio or an error, never in a crash or a word without a time', async () => {
    const random = new SeededRandom('elevenlabs');
    for (let i = 0; i < 200; i++) {
      const result = await lines(`${broken(EXAMPLE, random)}\n`).catch((error: unknown) => error);
      const words = result instanceof Error ? [] : (result as Spoken).words;
      for (const { text, startMs, endMs } of words)
        expect([typeof text, Number.isFinite(startMs), endMs >= startMs]).toEqual(['string', true, true]);
    }
  });

  it.each([
    ['a line without an end', 'x'.repeat(5_000_000)],
    ['no JSON', 'garbage\n'],
    ['a number', '5\n'],
    ['an error', '{"detail":{"status":"quota_exceeded","message":"no credits"}}\n'],
  ])('%s fails the sentence', async (_, sent) => {
    await expect(lines(sent)).rejects.toThrow('The server of ElevenLabs');
  });

  it('words and audio are complete when lines are cut anywhere', async () => {
    const json = `${JSON.stringify(EXAMPLE)}\r\n\n${JSON.stringify({ ...EXAMPLE, alignment: null })}`;
    const { audio, words } = await lines(...Array.from(json));
    expect(audio).toHaveLength(1_600);
    expect(words).toEqual([{ text: 'Hi', startMs: 0, endMs: 200 }]);
  });

  it('each character of a script without spaces is a word', async () => {
    const characters = Array.from('请稍等 a moment。');
    const times = characters.map((_, i) => i / 10);
    const alignment = { characters, character_start_times_seconds: times, character_end_times_seconds: times };
    const { words } = await lines(JSON.stringify({ audio_base64: '', alignment }));
    expect(words.map(({ text }) => text)).toEqual(['请', '稍', '等', 'a', 'moment。']);
  });

  it('times that begin again with each line count from its audio', async () => {
    const sent = `${JSON.stringify(EXAMPLE)}\n`;
    const { words } = await lines(sent.replace(EXAMPLE.audio_base64, Buffer.alloc(2_400).toString('base64')), sent);
    expect(words).toEqual([
      { text: 'Hi', startMs: 0, endMs: 200 },
      { text: 'Hi', startMs: 300, endMs: 500 },
    ]);
  });
});

describe('the formats of OpenAI', () => {
  it('audio at 24 kHz is converted to the codec of the call without clicks between pieces', async () => {
    const tone = Int16Array.from({ length: 24_000 }, (_, i) => 10_000 * Math.sin((2 * Math.PI * 300 * i) / 24_000));
    const url = await server.answering((response) => {
      const bytes = bytesOf(tone);
      for (let from = 0; from < bytes.length; from += 1_023) response.write(bytes.subarray(from, from + 1_023));
      response.end();
    });
    const synthesizer = await server.synthesizer(url, { provider: 'openai' });
    const resampled = (wanted: LegAudio): Int16Array => {
      const resampler = alignedResampler(24_000, wanted.rate);
      return Int16Array.from([...resampler.push(tone), ...resampler.end()]);
    };
    const telephone = await spoken(synthesizer, { text: TEXT, audio: PCMU });
    expect(telephone.audio.equals(encode('PCMU', resampled(PCMU)))).toBe(true);
    const wide = await spoken(synthesizer, { text: TEXT, audio: L16 });
    expect(wide.audio.equals(bytesOf(resampled(L16)))).toBe(true);
  });
});
