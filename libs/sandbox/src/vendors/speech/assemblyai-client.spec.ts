import { afterEach, describe, expect, it } from '@jest/globals';
import { AssemblyAI, type StreamingTranscriber, type StreamingTranscriberParams, type TurnEvent } from 'assemblyai';
import { Collected } from '../../../test/collected.js';
import { speech, userSpeech } from '../../../test/user-speech.js';
import { SandboxServer } from '../../server/sandbox-server.js';
import { readScript } from '../../server/script.js';

let servers: SandboxServer[] = [];
let transcribers: StreamingTranscriber[] = [];

afterEach(async () => {
  for (const transcriber of transcribers) await transcriber.close(false);
  for (const server of servers) await server.close();
  servers = [];
  transcribers = [];
});

async function aServer(legs: object): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs }) });
  servers.push(server);
  return server;
}

interface Received {
  turn?: TurnEvent;
  startedMs?: number;
  error?: Error;
  close?: number;
}

/** AssemblyAI's own client with a session on our server. */
function streaming(server: SandboxServer, params: Partial<StreamingTranscriberParams> = {}, apiKey = server.key) {
  const transcriber = new AssemblyAI({ apiKey }).streaming.transcriber({
    sampleRate: 8_000,
    encoding: 'pcm_mulaw',
    speechModel: 'universal-3-5-pro',
    maxConnectionRetries: 0,
    websocketBaseUrl: `wss://127.0.0.1:${server.port}/v3/ws`,
    ...params,
  });
  withoutTls(transcriber);
  const received = new Collected<Received>();
  transcriber.on('turn', (turn) => received.push({ turn }));
  transcriber.on('speechStarted' as 'turn', (started) =>
    received.push({ startedMs: (started as unknown as { timestamp: number }).timestamp }),
  );
  transcriber.on('error', (error) => received.push({ error }));
  transcriber.on('close', (close) => received.push({ close }));
  transcribers.push(transcriber);
  const of = <K extends keyof Received>(name: K) =>
    received.all.flatMap((one) => (one[name] === undefined ? [] : [one[name]])) as NonNullable<Received[K]>[];
  return { transcriber, of, until: (done: () => boolean) => received.until(done) };
}

/** The client insists on TLS, which the sandbox server has not. */
function withoutTls(transcriber: StreamingTranscriber): void {
  const client = transcriber as unknown as { connectionUrl(): URL };
  const own = client.connectionUrl.bind(transcriber);
  client.connectionUrl = () => new URL(own().href.replace('wss:', 'ws:'));
}

/** Messages of 100 ms. */
async function spoken(ms: number): Promise<ArrayBuffer[]> {
  const audio = Buffer.concat([Buffer.alloc(3_200, 0xff), await userSpeech(ms), Buffer.alloc(16_000, 0xff)]);
  return Array.from(
    { length: Math.floor(audio.length / 800) },
    (_, i) => Uint8Array.from(audio.subarray(i * 800, (i + 1) * 800)).buffer,
  );
}

const send = (transcriber: StreamingTranscriber, audio: ArrayBuffer[]): void =>
  audio.forEach((piece) => transcriber.sendAudio(piece));

describe("AssemblyAI's own client of streaming", () => {
  it('receives partial turns and a formatted end with word times, and terminates', async () => {
    const { transcriber, of, until } = streaming(await aServer({ hears: ['Two pots of tea.'] }));
    const begin = await transcriber.connect();
    expect(begin).toMatchObject({ type: 'Begin', id: expect.any(String), expires_at: expect.any(Number) });
    send(transcriber, await spoken(1_500));
    await until(() => of('turn').some((turn) => turn.end_of_turn));
    const ended = of('turn').find((turn) => turn.end_of_turn)!;
    expect(ended).toMatchObject({ transcript: 'Two pots of tea.', turn_is_formatted: true, turn_order: 0 });
    expect(ended.words.map(({ text }) => text)).toEqual(['Two', 'pots', 'of', 'tea.']);
    expect(ended.words.every(({ start, end, word_is_final }) => end > start && word_is_final)).toBe(true);
    expect(of('startedMs')[0]).toBeCloseTo(ended.words[0]!.start, -1);
    const partials = of('turn').filter((turn) => !turn.end_of_turn);
    expect(partials.map(({ transcript }) => transcript)).toEqual(expect.arrayContaining(['Two', 'Two pots']));
    await transcriber.close();
    expect(of('error')).toEqual([]);
  });

  it('Universal Streaming sends a plain end of the turn, then the formatted one', async () => {
    const model = { speechModel: 'universal-streaming-english' as const, formatTurns: true };
    const { transcriber, of, until } = streaming(await aServer({ hears: ['Two pots, please.'] }), model);
    await transcriber.connect();
    send(transcriber, await spoken(1_200));
    const ended = () => of('turn').filter((turn) => turn.end_of_turn);
    await until(() => ended().length > 1);
    expect(ended().map(({ transcript, turn_is_formatted: formatted }) => [transcript, formatted])).toEqual([
      ['two pots please', false],
      ['Two pots, please.', true],
    ]);
    const [partial] = of('turn').filter((turn) => turn.words.length > 1);
    expect(partial!.transcript).toBe('two');
    expect(partial!.words.map(({ word_is_final: final }) => final)).toEqual([true, false]);
    expect(of('error')).toEqual([]);
  });

  it('a pause without the end of a sentence does not end the turn', async () => {
    const { transcriber, of, until } = streaming(await aServer({ hears: ['Two pots', 'of tea.'] }));
    await transcriber.connect();
    const audio = await spoken(1_200);
    send(transcriber, audio.slice(0, -12));
    send(transcriber, audio.slice(4));
    await until(() => of('turn').some((turn) => turn.end_of_turn));
    expect(of('turn').filter((turn) => turn.end_of_turn)).toMatchObject([{ transcript: 'Two pots of tea.' }]);
    expect(of('error')).toEqual([]);
  });

  it('ends a turn when it is forced, and takes PCM at 16 kHz', async () => {
    const pcm = { encoding: 'pcm_s16le' as const, sampleRate: 16_000 };
    const { transcriber, of, until } = streaming(await aServer({}), pcm);
    await transcriber.connect();
    const tone = Int16Array.from({ length: 16_000 }, (_, i) => 8_000 * Math.sin(i / 6) * (i % 4_000 < 3_000 ? 1 : 0.1));
    for (let at = 0; at < tone.length; at += 1_600) transcriber.sendAudio(tone.slice(at, at + 1_600).buffer);
    transcriber.keepAlive();
    transcriber.updateConfiguration({ keyterms_prompt: ['tea'] });
    transcriber.forceEndpoint();
    await until(() => of('turn').some((turn) => turn.end_of_turn));
    expect(of('turn').at(-1)!.transcript).toMatch(/^\[speech [01]\.\d s\]$/);
    expect(of('error')).toEqual([]);
  });

  it.each([
    ['a wrong key', {}, {}, 'wrong', 'Unauthorized', 1008],
    ['wrong parameters', {}, { sampleRate: 11_025 }, undefined, 'sample_rate', 3006],
    ['too many sessions', { transcriber: [{ do: 'rate_limit' }] }, {}, undefined, 'Too many concurrent', 3009],
    ['a failure', { transcriber: [{ do: 'refuse', status: 503 }] }, {}, undefined, 'An error occurred', 3005],
  ])('%s ends the connection with an error of the vendor', async (_, legs, params, key, message, code) => {
    const { transcriber } = streaming(await aServer(legs), params, key);
    const failure = await transcriber.connect().catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining(message), code });
  });

  it.each([20, 1_200])('a message of %d ms of audio ends the session', async (ms) => {
    const { transcriber, of, until } = streaming(await aServer({}));
    await transcriber.connect();
    transcriber.sendAudio(new Uint8Array(ms * 8).buffer);
    await until(() => of('close').length > 0);
    expect(of('close')).toEqual([3007]);
    expect(of('error')[0]!.message).toContain(`${ms} ms. Expected between 50 and 1000 ms`);
  });
});
