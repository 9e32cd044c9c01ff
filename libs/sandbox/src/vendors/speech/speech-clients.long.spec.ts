import type * as CartesiaPackage from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { WebSocket } from 'ws';
import { decode } from '@app/telephony';
import { isAudible, resample } from '@app/voice';
import { speech } from '../../../test/user-speech.js';
import { SandboxServer } from '../../server/sandbox-server.js';
import { readScript } from '../../server/script.js';

/** As CommonJS: the package's ES module calls `require`, and finds no WebSocket on Node 20. */
const { Cartesia } = createRequire(import.meta.url)('@cartesia/cartesia-js') as typeof CartesiaPackage;

/** `npm test` installs this package apart from the others, because it has 23,000 files. */
const { ElevenLabsClient } = createRequire(new URL('../../../../../test/vendor-clients/package.json', import.meta.url))(
  '@elevenlabs/elevenlabs-js',
) as { ElevenLabsClient: new (options: object) => ElevenLabs };

interface ElevenLabs {
  textToSpeech: {
    stream(voice: string, request: object): Promise<ReadableStream<Uint8Array>>;
    streamWithTimestamps(voice: string, request: object): Promise<AsyncIterable<TimedAudio>>;
  };
}

interface TimedAudio {
  audioBase64: string;
  alignment?: { characters: string[]; characterEndTimesSeconds: number[] };
}

const TEXT = 'Good morning! Your tea is ready.';
const VOICE = 'JBFqnCBsd6RMkjVDRZzb';

let servers: SandboxServer[] = [];

afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
});

async function aServer(faults: object[] = []): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs: { synthesizer: faults } }) });
  servers.push(server);
  return server;
}

const addressOf = ({ port }: SandboxServer): string => `http://127.0.0.1:${port}`;

/** The text as the server speaks it, at this rate. */
async function expected(rate: number): Promise<Int16Array> {
  const samples: number[] = [];
  for await (const sentence of speech.samples(TEXT, undefined, new AbortController().signal))
    samples.push(...(await resample(sentence.samples, 8_000, rate)));
  return Int16Array.from(samples);
}

async function bytesOf(stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const samplesOf = (pcm: Buffer): Int16Array => new Int16Array(new Uint8Array(pcm).buffer);

describe("ElevenLabs' own client", () => {
  const client = (server: SandboxServer, apiKey = server.key) =>
    new ElevenLabsClient({ apiKey, baseUrl: addressOf(server), maxRetries: 0 });

  it('streams telephone audio with the times of the characters', async () => {
    const stream = await client(await aServer()).textToSpeech.streamWithTimestamps(VOICE, {
      text: TEXT,
      modelId: 'eleven_flash_v2_5',
      outputFormat: 'ulaw_8000',
      languageCode: 'en',
      previousText: 'Hello.',
      voiceSettings: { speed: 1 },
    });
    const audio: Buffer[] = [];
    const characters: string[] = [];
    const ends: number[] = [];
    for await (const { audioBase64, alignment } of stream) {
      audio.push(Buffer.from(audioBase64, 'base64'));
      characters.push(...(alignment?.characters ?? []));
      ends.push(...(alignment?.characterEndTimesSeconds ?? []));
    }
    const whole = Buffer.concat(audio);
    expect(characters.join('')).toBe(TEXT);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends.at(-1)).toBeCloseTo(whole.length / 8_000, 1);
    expect(decode('PCMU', whole)).toHaveLength((await expected(8_000)).length);
    expect(isAudible(decode('PCMU', whole))).toBe(true);
  });

  it.each([
    ['pcm_24000', 24_000],
    ['pcm_16000', 16_000],
  ] as const)('streams %s without times', async (outputFormat, rate) => {
    const stream = await client(await aServer()).textToSpeech.stream(VOICE, { text: TEXT, outputFormat });
    expect(samplesOf(await bytesOf(stream))).toEqual(await expected(rate));
  });

  it.each([
    ['a wrong key', {}, 'wrong', VOICE, TEXT, 401],
    ['an unknown voice', {}, undefined, 'george', TEXT, 404],
    ['an empty text', {}, undefined, VOICE, ' ', 400],
    ['a rate limit', { do: 'rate_limit' }, undefined, VOICE, TEXT, 429],
    ['an overload', { do: 'refuse' }, undefined, VOICE, TEXT, 503],
  ])('%s is refused as by the service', async (_, fault, key, voice, text, status) => {
    const server = await aServer('do' in fault ? [fault] : []);
    const attempt = client(server, key).textToSpeech.streamWithTimestamps(voice, { text, outputFormat: 'ulaw_8000' });
    await expect(attempt).rejects.toMatchObject({
      statusCode: status,
      body: { detail: { message: expect.any(String) } },
    });
  });

  it('a missing text is a validation error with its place', async () => {
    const server = await aServer();
    const response = await fetch(`${addressOf(server)}/v1/text-to-speech/${VOICE}/stream?output_format=ulaw_8000`, {
      method: 'POST',
      headers: { 'xi-api-key': server.key },
      body: '{}',
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['body', 'text'] }] });
  });
});

describe("Cartesia's own client", () => {
  const VOICE_ID = 'e07c00bc-4134-4eae-9ea4-1a55fb45746b';
  const options = {
    model_id: 'sonic-3.5',
    voice: VOICE_ID,
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    language: 'en',
    add_timestamps: true,
  } as const;

  /** The client speaks TLS only; its connection is replaced by a plain one. */
  async function opened(server: SandboxServer, apiKey = server.key) {
    const errors: Error[] = [];
    const client = new Cartesia({ apiKey, baseURL: addressOf(server) });
    const createConnection = (() => connect(server.port, '127.0.0.1')) as never;
    const socket = await client.tts.websocket({ createConnection });
    socket.on('error', (error) => errors.push(error));
    return { socket, errors };
  }

  it('speaks two contexts at the same time, with words, without an error', async () => {
    const { socket, errors } = await opened(await aServer());
    const speak = async () => {
      const audio: Uint8Array[] = [];
      const words: string[] = [];
      for await (const event of socket.context(options).generate({ ...options, transcript: TEXT })) {
        if (event.type === 'chunk' && event.audio) audio.push(event.audio);
        if (event.type === 'timestamps') words.push(...(event.word_timestamps?.words ?? []));
      }
      return { samples: samplesOf(Buffer.concat(audio)), words };
    };
    for (const { samples, words } of await Promise.all([speak(), speak()])) {
      expect(samples).toEqual(await expected(16_000));
      expect(words).toEqual(TEXT.split(' '));
    }
    expect(errors).toEqual([]);
    socket.close();
  });

  it('continues a context with more text, and flushes it', async () => {
    const { socket, errors } = await opened(await aServer());
    const context = socket.context(options);
    await context.push({ transcript: 'Good morning!', flush: true });
    await context.push({ transcript: ' Your tea is ready.' });
    await context.no_more_inputs();
    const types: string[] = [];
    const ends: number[] = [];
    for await (const event of context.receive()) {
      types.push(event.type);
      if (event.type === 'timestamps') ends.push(...(event.word_timestamps?.end ?? []));
    }
    expect(types.filter((type) => type === 'flush_done')).toHaveLength(1);
    expect(types.at(-1)).toBe('done');
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends).toHaveLength(6);
    expect(errors).toEqual([]);
    socket.close();
  });

  it('a cancelled context sends nothing more, and another one is spoken', async () => {
    const { socket, errors } = await opened(await aServer([{ do: 'stall', after: 250, requests: 1 }]));
    const context = socket.context(options);
    await context.send({ ...options, transcript: TEXT });
    for await (const event of context.receive()) {
      if (event.type === 'chunk') await context.cancel();
    }
    const types: string[] = [];
    for await (const { type } of socket.context(options).generate({ ...options, transcript: 'Next.' }))
      types.push(type);
    expect(types).toContain('chunk');
    expect(types.at(-1)).toBe('done');
    expect(errors).toEqual([]);
    socket.close();
  });

  it('a rate limit is an error of the context alone', async () => {
    const { socket, errors } = await opened(await aServer([{ do: 'rate_limit', requests: 1 }]));
    const refused = async () => {
      for await (const event of socket.generate({ ...options, context_id: 'one', transcript: TEXT })) void event;
    };
    await expect(refused()).rejects.toThrow('concurrency_limited');
    const types: string[] = [];
    for await (const { type } of socket.generate({ ...options, context_id: 'two', transcript: TEXT })) types.push(type);
    expect(types.at(-1)).toBe('done');
    expect(errors).toHaveLength(1);
    socket.close();
  });

  it.each([
    ['a wrong key', 'wrong', '2026-08-14', '401'],
    ['a missing version', undefined, undefined, '400'],
  ])('%s is refused with the handshake', async (_, key, version, status) => {
    const server = await aServer();
    const headers = { authorization: `Bearer ${key ?? server.key}`, ...(version && { 'cartesia-version': version }) };
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/tts/websocket`, { headers });
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain(status);
  });
});

describe("Deepgram's own client", () => {
  const client = (server: SandboxServer, apiKey = server.key) =>
    new DeepgramClient({ apiKey, baseUrl: addressOf(server), maxRetries: 0 });

  it.each([
    ['mulaw', 8_000],
    ['alaw', 8_000],
    ['linear16', 16_000],
  ] as const)('speaks %s at %d Hz', async (encoding, rate) => {
    const response = await client(await aServer()).speak.v1.audio.generate({
      text: TEXT,
      model: 'aura-2-thalia-en',
      encoding,
      sample_rate: rate,
      container: 'none',
      speed: 1,
    });
    const audio = Buffer.from(await response.arrayBuffer());
    const codec = encoding === 'alaw' ? 'PCMA' : 'PCMU';
    const samples = encoding === 'linear16' ? samplesOf(audio) : decode(codec, audio);
    expect(samples).toHaveLength((await expected(rate)).length);
    expect(isAudible(samples)).toBe(true);
  });

  it.each([
    ['a wrong key', {}, 'wrong', TEXT, 401, 'INVALID_AUTH'],
    ['a long text', {}, undefined, 'tea '.repeat(501), 413, 'PAYLOAD_TOO_LARGE'],
    ['a rate limit', { do: 'rate_limit' }, undefined, TEXT, 429, 'TOO_MANY_REQUESTS'],
  ])('%s is refused as by the service', async (_, fault, key, text, status, code) => {
    const server = await aServer('do' in fault ? [fault] : []);
    const attempt = client(server, key).speak.v1.audio.generate({
      text,
      encoding: 'mulaw',
      sample_rate: 8_000,
      container: 'none',
    });
    await expect(attempt).rejects.toMatchObject({ statusCode: status, body: { err_code: code } });
  });
});

describe("OpenAI's own client", () => {
  const client = (server: SandboxServer, apiKey = server.key) =>
    new OpenAI({ apiKey, baseURL: `${addressOf(server)}/v1`, maxRetries: 0 });
  const wanted = { model: 'gpt-4o-mini-tts', voice: 'coral', input: TEXT, response_format: 'pcm' } as const;

  it('speaks raw audio at 24 kHz', async () => {
    const response = await client(await aServer()).audio.speech.create({ ...wanted, instructions: 'Speak calmly.' });
    expect(samplesOf(Buffer.from(await response.arrayBuffer()))).toEqual(await expected(24_000));
  });

  it('speaks as events, with the usage', async () => {
    const response = await client(await aServer()).audio.speech.create({ ...wanted, stream_format: 'sse' });
    const events = (await response.text())
      .split('\n\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line.slice(6)) as { type: string; audio?: string });
    const audio = Buffer.concat(events.map((event) => Buffer.from(event.audio ?? '', 'base64')));
    expect(samplesOf(audio)).toEqual(await expected(24_000));
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { output_tokens: expect.any(Number) } });
  });

  it.each([
    ['a wrong key', {}, 'wrong', {}, 401],
    ['an unknown voice', {}, undefined, { voice: 'george' }, 400],
    ['a long text', {}, undefined, { input: 'tea '.repeat(1_025) }, 400],
    ['a rate limit', { do: 'rate_limit' }, undefined, {}, 429],
    ['a fault of the server', { do: 'refuse', status: 500 }, undefined, {}, 500],
  ])('%s is refused as by the service', async (_, fault, key, changes, status) => {
    const server = await aServer('do' in fault ? [fault] : []);
    await expect(client(server, key).audio.speech.create({ ...wanted, ...changes })).rejects.toMatchObject({ status });
  });
});
