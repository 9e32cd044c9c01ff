import { afterEach, describe, expect, it } from '@jest/globals';
import { DeepgramClient, type listen } from '@deepgram/sdk';
import { Collected } from '../../../test/collected.js';
import { speech, userSpeech } from '../../../test/user-speech.js';
import { SandboxServer } from '../../server/sandbox-server.js';
import { readScript } from '../../server/script.js';

type Message =
  listen.ListenV1Results | listen.ListenV1Metadata | listen.ListenV1UtteranceEnd | listen.ListenV1SpeechStarted;

let servers: SandboxServer[] = [];
let sockets: { close(): void }[] = [];

afterEach(async () => {
  sockets.forEach((socket) => socket.close());
  for (const server of servers) await server.close();
  servers = [];
  sockets = [];
});

async function aServer(legs: object): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs }) });
  servers.push(server);
  return server;
}

/** Deepgram's own client with a stream to our server. */
async function listening(server: SandboxServer, options: object = {}, apiKey = server.key) {
  const address = `127.0.0.1:${server.port}`;
  const environment = {
    base: `http://${address}`,
    production: `ws://${address}`,
    agent: `ws://${address}`,
    agentRest: `http://${address}`,
  };
  const client = new DeepgramClient({ apiKey, environment });
  const received = new Collected<Received>();
  const socket = await client.listen.v1.connect({
    model: 'nova-3',
    encoding: 'mulaw',
    sample_rate: 8_000,
    interim_results: 'true',
    punctuate: 'true',
    vad_events: 'true',
    endpointing: 300,
    utterance_end_ms: 1_000,
    reconnectAttempts: 0,
    Authorization: `Token ${apiKey}`,
    ...options,
  });
  socket.on('message', (message) => received.push({ message }));
  socket.on('error', (error) => received.push({ error }));
  socket.on('close', ({ code, reason }) => received.push({ close: { code, reason } }));
  sockets.push(socket);
  socket.connect();
  const messages = () => received.all.flatMap(({ message }) => (message ? [message] : []));
  return {
    socket,
    messages,
    errors: () => received.all.flatMap(({ error }) => (error ? [error] : [])),
    closes: () => received.all.flatMap(({ close }) => (close ? [close] : [])),
    until: (done: () => boolean) => received.until(done),
    of: <T extends Message['type']>(type: T) =>
      messages().filter((message): message is Extract<Message, { type: T }> => message.type === type),
  };
}

interface Received {
  message?: Message;
  error?: Error;
  close?: { code: number; reason: string };
}

async function spoken(ms: number, silenceMs = 1_500): Promise<Buffer[]> {
  const audio = Buffer.concat([Buffer.alloc(3_200, 0xff), await userSpeech(ms), Buffer.alloc(silenceMs * 8, 0xff)]);
  return Array.from({ length: Math.floor(audio.length / 800) }, (_, i) => audio.subarray(i * 800, (i + 1) * 800));
}

const transcript = ({ channel }: listen.ListenV1Results): string => channel.alternatives[0]!.transcript;

describe("Deepgram's own client of live transcription", () => {
  it('receives growing words, the final ones with their times, the end of the utterance and the metadata', async () => {
    const { socket, messages, errors, closes, until, of } = await listening(
      await aServer({ hears: ['Two pots of tea.'] }),
    );
    await socket.waitForOpen();
    for (const audio of await spoken(1_500)) socket.sendMedia(audio);
    await until(() => of('UtteranceEnd').length > 0);
    socket.sendKeepAlive({ type: 'KeepAlive' });
    socket.sendCloseStream({ type: 'CloseStream' });
    await until(() => closes().length > 0);
    expect(errors()).toEqual([]);
    expect(closes()[0]).toMatchObject({ code: 1000 });
    const results = of('Results');
    expect(results.filter((one) => !one.is_final).map(transcript)).toEqual(
      expect.arrayContaining(['Two', 'Two pots', 'Two pots of']),
    );
    const [final] = results.filter((one) => one.is_final);
    expect(final).toMatchObject({ speech_final: true, from_finalize: false, channel_index: [0, 1] });
    const { words } = final!.channel.alternatives[0]!;
    expect(words.map(({ punctuated_word }) => punctuated_word)).toEqual(['Two', 'pots', 'of', 'tea.']);
    expect(words.map(({ word }) => word)).toEqual(['two', 'pots', 'of', 'tea']);
    expect(words.every(({ start, end }, i) => end > start && start >= (words[i - 1]?.end ?? 0))).toBe(true);
    expect(of('UtteranceEnd')[0]!.last_word_end).toBe(words.at(-1)!.end);
    const [started] = of('SpeechStarted');
    expect(started!.timestamp).toBeCloseTo(words[0]!.start);
    expect(messages().at(-1)).toMatchObject({ type: 'Metadata', duration: 3.4, channels: 1 });
  });

  it('Finalize makes the words so far final in the middle of speech, and the rest follows', async () => {
    const { socket, errors, until, of } = await listening(await aServer({ hears: ['One two three four five six.'] }));
    await socket.waitForOpen();
    const audio = await spoken(1_500);
    for (const piece of audio.slice(0, 12)) socket.sendMedia(piece);
    socket.sendFinalize({ type: 'Finalize' });
    for (const piece of audio.slice(12)) socket.sendMedia(piece);
    const finals = () => of('Results').filter((one) => one.is_final && transcript(one) !== '');
    await until(() => finals().length > 1);
    expect(errors()).toEqual([]);
    expect(finals()[0]).toMatchObject({ from_finalize: true });
    expect(finals().map(transcript).join(' ')).toBe('One two three four five six.');
  });

  it.each([
    ['linear16', 16_000],
    ['alaw', 8_000],
  ])('streams %s at %d Hz', async (encoding, rate) => {
    const server = await aServer({});
    const { socket, errors, closes, until, of } = await listening(server, { encoding, sample_rate: rate });
    await socket.waitForOpen();
    const second = rate * (encoding === 'linear16' ? 2 : 1);
    for (let i = 0; i < 6; i++) socket.sendMedia(Buffer.alloc(second, encoding === 'alaw' ? 0xd5 : 0));
    socket.sendCloseStream({ type: 'CloseStream' });
    await until(() => closes().length > 0);
    expect(errors()).toEqual([]);
    // Silence is final without words.
    expect(of('Results')[0]).toMatchObject({ is_final: true, speech_final: false, start: 0, duration: 5 });
    expect(of('Metadata')[0]!.duration).toBe(6);
  });

  it.each([
    ['a wrong key', {}, {}, 'wrong', 401],
    ['an unknown encoding', {}, { encoding: 'opus' }, undefined, 400],
    ['keyterms for an older model', {}, { model: 'nova-2', keyterm: 'tea' }, undefined, 400],
    ['a limit', { transcriber: [{ do: 'rate_limit', retry_after_seconds: 3 }] }, {}, undefined, 429],
    ['a failure', { transcriber: [{ do: 'refuse', status: 503 }] }, {}, undefined, 503],
  ])('%s refuses the handshake', async (_, legs, options, key, status) => {
    const { errors, until } = await listening(await aServer(legs), options, key);
    await until(() => errors().length > 0);
    expect(errors()[0]!.message).toContain(String(status));
  });

  it('a message that is not a control message closes the stream with its code', async () => {
    const { socket, closes, until } = await listening(await aServer({}));
    await socket.waitForOpen();
    socket.sendFinalize({ type: 'Shout' });
    await until(() => closes().length > 0);
    expect(closes()[0]).toMatchObject({ code: 1008, reason: expect.stringContaining('DATA-0000') });
  });
});
