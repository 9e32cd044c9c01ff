import { afterEach, describe, expect, it } from '@jest/globals';
import { DeepgramClient, type listen } from '@deepgram/sdk';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { Collected } from '../../../test/collected.js';
import { aServer, closeServers, registered } from '../../../test/model-server.js';
import { userSpeech } from '../../../test/user-speech.js';
import type { SandboxServer } from '../../server/sandbox-server.js';

/** Published, and missing in the types of the client. */
interface Warning {
  type: 'Warning';
  code: string;
  sequence_id: number;
}
type Message =
  | listen.ListenV2Connected
  | listen.ListenV2TurnInfo
  | listen.ListenV2ConfigureSuccess
  | listen.ListenV2ConfigureFailure
  | listen.ListenV2FatalError
  | Warning;

interface Received {
  message?: Message;
  error?: Error;
  close?: { code: number; reason: string };
}

let sockets: { close(): void }[] = [];

afterEach(async () => {
  sockets.forEach((socket) => socket.close());
  sockets = [];
  await closeServers();
});

/** Deepgram's own client with a Flux stream to our server. */
async function listening(legs: object, options: object = {}, apiKey?: string) {
  const server = await aServer({ legs });
  const key = apiKey ?? server.key;
  const url = `ws://127.0.0.1:${server.port}`;
  const environment = { base: url, production: url, agent: url, agentRest: url };
  const received = new Collected<Received>();
  const socket = await new DeepgramClient({ apiKey: key, environment }).listen.v2.connect({
    model: 'flux-general-en',
    encoding: 'mulaw',
    sample_rate: 8_000,
    reconnectAttempts: 0,
    Authorization: `Token ${key}`,
    ...options,
  });
  socket.on('message', (message) => received.push({ message }));
  socket.on('error', (error) => received.push({ error }));
  socket.on('close', ({ code, reason }) => received.push({ close: { code, reason } }));
  sockets.push(socket);
  socket.connect();
  const messages = () => received.all.flatMap(({ message }) => (message ? [message] : []));
  const of = <T extends Message['type']>(type: T) =>
    messages().filter((message): message is Extract<Message, { type: T }> => message.type === type);
  return {
    socket,
    messages,
    of,
    turns: (...events: string[]) => of('TurnInfo').filter(({ event }) => events.includes(event)),
    send: (audio: Buffer[]) => audio.forEach((piece) => socket.sendMedia(piece)),
    errors: () => received.all.flatMap(({ error }) => (error ? [error] : [])),
    closes: () => received.all.flatMap(({ close }) => (close ? [close] : [])),
    until: (done: () => boolean) => received.until(done),
  };
}

const silence = (ms: number): Buffer => Buffer.alloc(ms * 8, 0xff);

/** Pieces of 80 ms, as the vendor recommends. */
function pieces(...audio: Buffer[]): Buffer[] {
  const all = Buffer.concat(audio);
  return Array.from({ length: Math.ceil(all.length / 640) }, (_, i) => all.subarray(i * 640, (i + 1) * 640));
}

const BOUNDS = ['StartOfTurn', 'EagerEndOfTurn', 'TurnResumed', 'EndOfTurn'];
const EAGER = { eager_eot_threshold: 0.4, eot_threshold: 0.7 };

describe("Deepgram's own client of Flux", () => {
  it('receives a turn from its first word over the eager end to the end, and its stream closes without a code', async () => {
    const { socket, messages, of, turns, send, errors, closes, until } = await listening(
      { hears: ['Two pots of tea.'] },
      EAGER,
    );
    await socket.waitForOpen();
    send(pieces(silence(400), await userSpeech(1_500), silence(1_500)));
    await until(() => turns('EndOfTurn').length > 0);
    socket.sendCloseStream({ type: 'CloseStream' });
    await until(() => closes().length > 0);
    expect(errors()).toEqual([]);
    expect(closes()[0]).toMatchObject({ code: 1005 });
    expect(messages()[0]).toMatchObject({ type: 'Connected', request_id: expect.any(String) });
    expect(messages().map(({ sequence_id: id }) => id)).toEqual(messages().map((_, i) => i));

    expect(turns(...BOUNDS).map(({ event, transcript }) => [event, transcript])).toEqual([
      ['StartOfTurn', 'Two'],
      ['EagerEndOfTurn', 'Two pots of tea.'],
      ['EndOfTurn', 'Two pots of tea.'],
    ]);
    const [started, eager, ended] = turns(...BOUNDS);
    const { words } = ended!;
    expect(words.map(({ word }) => word)).toEqual(['Two', 'pots', 'of', 'tea.']);
    expect(words.every(({ start, end, confidence }) => end! > start! && confidence > 0.9)).toBe(true);
    const spokenUntil = words.at(-1)!.end!;
    expect(eager!.audio_window_end - spokenUntil).toBeCloseTo(0.2);
    expect(eager!.end_of_turn_confidence).toBe(0.4);
    expect(ended!.audio_window_end - spokenUntil).toBeCloseTo(0.5);
    expect(ended).toMatchObject({
      turn_index: 0,
      audio_window_start: 0,
      end_of_turn_confidence: 0.7,
      trigger: 'model',
    });
    expect(started).not.toHaveProperty('trigger');
    expect(started).not.toHaveProperty('languages');

    // Updates come in silence too, and those after the end belong to the next turn.
    const updates = turns('Update');
    expect(updates[0]).toMatchObject({ transcript: '', turn_index: 0, audio_window_end: 0.24 });
    expect(updates.map(({ transcript }) => transcript)).toEqual(expect.arrayContaining(['Two pots', 'Two pots of']));
    expect(updates.at(-1)).toMatchObject({
      transcript: '',
      turn_index: 1,
      audio_window_start: ended!.audio_window_end,
    });
    const positions = of('TurnInfo').map(({ audio_window_end: end }) => end);
    expect(positions.every((end, i) => end - (positions[i - 1] ?? 0) < 0.25)).toBe(true);
  });

  it('a pause of 350 ms takes the eager end back, and the turn goes on', async () => {
    const { socket, turns, send, errors, until } = await listening({ hears: ['Two pots', 'of tea.'] }, EAGER);
    await socket.waitForOpen();
    const audio = await userSpeech(1_000);
    send(pieces(silence(400), audio, silence(350), audio, silence(1_500)));
    await until(() => turns('EndOfTurn').length > 0);
    expect(errors()).toEqual([]);
    expect(turns(...BOUNDS).map(({ event, transcript }) => [event, transcript])).toEqual([
      ['StartOfTurn', 'Two'],
      ['EagerEndOfTurn', 'Two pots'],
      ['TurnResumed', 'Two pots'],
      ['EagerEndOfTurn', 'Two pots of tea.'],
      ['EndOfTurn', 'Two pots of tea.'],
    ]);
    expect(new Set(turns(...BOUNDS).map(({ turn_index: index }) => index))).toEqual(new Set([0]));
  });

  it('without its threshold there is no eager end, and eot_timeout_ms ends a turn that the confidence does not', async () => {
    const { socket, turns, send, until } = await listening(
      { hears: ['One.', 'Two.'] },
      { eot_threshold: 1, eot_timeout_ms: 1_200 },
    );
    await socket.waitForOpen();
    const audio = await userSpeech(600);
    send(pieces(silence(400), audio, silence(1_000), audio, silence(2_000)));
    await until(() => turns('EndOfTurn').length > 0);
    expect(turns(...BOUNDS).map(({ event }) => event)).toEqual(['StartOfTurn', 'EndOfTurn']);
    const [ended] = turns('EndOfTurn');
    expect(ended).toMatchObject({ transcript: 'One. Two.', trigger: 'timeout' });
    expect(ended!.audio_window_end - ended!.words.at(-1)!.end!).toBeCloseTo(1.2);
  });

  it('ForceEndTurn ends the turn with the words so far, the rest is the next turn, and without a turn it is a warning', async () => {
    const { socket, of, turns, send, until } = await listening({ hears: ['One two three four five six.'] });
    await socket.waitForOpen();
    const audio = pieces(silence(400), await userSpeech(1_500), silence(1_000));
    send(audio.slice(0, 15));
    socket.sendForceEndTurn({ type: 'ForceEndTurn' });
    socket.sendForceEndTurn({ type: 'ForceEndTurn' });
    send(audio.slice(15));
    await until(() => turns('EndOfTurn').length > 1);
    expect(of('Warning').map(({ code }) => code)).toEqual(['FORCE_END_TURN_NO_ACTIVE_TURN']);
    const [forced, rest] = turns('EndOfTurn');
    expect(forced).toMatchObject({ turn_index: 0, trigger: 'manual' });
    expect(forced!.end_of_turn_confidence).toBeLessThan(0.7);
    expect(rest).toMatchObject({ turn_index: 1, trigger: 'model', audio_window_start: forced!.audio_window_end });
    expect(forced!.words.length).toBeGreaterThan(0);
    expect(`${forced!.transcript} ${rest!.transcript}`).toBe('One two three four five six.');
    expect(turns('StartOfTurn').map(({ turn_index: index }) => index)).toEqual([0, 1]);
  });

  it('Configure changes the thresholds at once, and a refused one changes nothing', async () => {
    const { socket, of, turns, send, until } = await listening(
      { hears: ['One.', 'Two.'] },
      { keyterm: ['tea', 'pot'] },
    );
    await socket.waitForOpen();
    socket.sendConfigure({ type: 'Configure', thresholds: { eager_eot_threshold: 0.9, eot_threshold: 0.6 } });
    socket.sendConfigure({ type: 'Configure', language_hints: ['de'] });
    socket.sendConfigure({ type: 'Configure', thresholds: { eot_timeout_ms: 100 } });
    socket.sendConfigure({ type: 'Configure', keyterms: Array.from({ length: 101 }, (_, i) => `term ${i}`) });
    socket.sendConfigure({ type: 'Configure', thresholds: { eot_threshold: 0.9 }, keyterms: ['cake'] });
    socket.sendConfigure({ type: 'Configure', thresholds: { eager_eot_threshold: 0.5 } });
    send(pieces(silence(400), await userSpeech(800), silence(1_500)));
    await until(() => turns('EndOfTurn').length > 0);
    expect(of('ConfigureFailure')).toMatchObject([
      { code: 'INVALID_THRESHOLD' },
      { code: 'INVALID_LANGUAGE_HINTS' },
      { code: 'INVALID_THRESHOLD' },
      { code: 'INVALID_KEYTERMS' },
    ]);
    const [first, second] = of('ConfigureSuccess');
    expect(first).toMatchObject({ keyterms: ['cake'], thresholds: { eot_threshold: 0.9, eot_timeout_ms: 5_000 } });
    expect(second!.thresholds).toEqual({ eager_eot_threshold: 0.5, eot_threshold: 0.9, eot_timeout_ms: 5_000 });
    expect(turns('EagerEndOfTurn', 'EndOfTurn').map((turn) => turn.end_of_turn_confidence)).toEqual([0.5, 0.9]);
  });

  it('the multilingual model names the languages, and takes hints', async () => {
    const hints = {
      model: 'flux-general-multi',
      language_hint: ['en', 'de'],
      encoding: 'linear16',
      sample_rate: 16_000,
    };
    const { socket, of, turns, until } = await listening({ hears: ['One.'] }, hints);
    await socket.waitForOpen();
    const tone = Int16Array.from({ length: 32_000 }, (_, i) => (i < 12_000 ? 8_000 * Math.sin(i / 6) : 0));
    socket.sendMedia(new Int16Array(16_000));
    socket.sendMedia(tone);
    await until(() => turns('EndOfTurn').length > 0);
    expect(turns('Update')[0]).toMatchObject({ languages: [], languages_hinted: ['en', 'de'] });
    expect(turns('EndOfTurn')[0]).toMatchObject({ transcript: 'One.', languages: ['en'] });
    socket.sendConfigure({ type: 'Configure', language_hints: [] });
    await until(() => of('ConfigureSuccess').length > 0);
    expect(of('ConfigureSuccess')[0]).toMatchObject({ language_hints: [], keyterms: [] });
  });

  it('CloseStream in the middle of a turn brings the words so far, and no end', async () => {
    const { socket, turns, send, closes, until } = await listening({ hears: ['One two three four five six.'] });
    await socket.waitForOpen();
    send(pieces(silence(400), await userSpeech(700)));
    socket.sendCloseStream({ type: 'CloseStream' });
    await until(() => closes().length > 0);
    expect(turns('EndOfTurn')).toEqual([]);
    expect(turns('Update').at(-1)!.transcript).toMatch(/^One two\b/);
  });

  it('a message in another form is a fatal error', async () => {
    const { socket, of, closes, until } = await listening({});
    await socket.waitForOpen();
    socket.sendCloseStream({ type: 'KeepAlive' });
    await until(() => closes().length > 0);
    expect(of('Error')).toMatchObject([{ code: 'UNPARSABLE_CLIENT_MESSAGE', description: expect.any(String) }]);
  });

  it.each([
    ['a connection that is cut', { do: 'disconnect', after: 900 }, 1006, 'StartOfTurn'],
    ['a server that falls silent', { do: 'stall', after: 900 }, undefined, 'StartOfTurn'],
  ])('plays %s', async (_, fault, code, last) => {
    const { socket, turns, send, closes, until } = await listening({ hears: ['One.'], transcriber: [fault] });
    await socket.waitForOpen();
    send(pieces(silence(400), await userSpeech(800), silence(1_500)));
    await until(() => turns(last).length > 0);
    socket.sendCloseStream({ type: 'CloseStream' });
    if (code !== undefined) await until(() => closes().length > 0);
    expect(turns(...BOUNDS).at(-1)!.event).toBe(last);
    expect(closes().map((close) => close.code)).toEqual(code === undefined ? [] : [code]);
  });

  it('delays the first word, and not the messages of silence before it', async () => {
    const { socket, turns, send, until } = await listening({ transcriber: [{ do: 'slow', delay_ms: 300 }] });
    await socket.waitForOpen();
    send(pieces(silence(400), await userSpeech(800), silence(1_500)));
    await until(() => turns('Update').length > 0);
    const silentAt = performance.now();
    await until(() => turns('EndOfTurn').length > 0);
    expect(performance.now() - silentAt).toBeGreaterThan(200);
  });

  it.each([
    ['an unknown parameter', { queryParams: { interim_results: 'true' } }],
    ['another model', { model: 'nova-3' }],
    ['an unknown encoding', { encoding: 'mp3' }],
    ['a wrong rate', { sample_rate: 11_025 }],
    ['a threshold out of range', { eot_threshold: 0.4 }],
    ['an eager threshold above the default of the other', { eager_eot_threshold: 0.8 }],
    ['a timeout out of range', { eot_timeout_ms: 400 }],
    ['an empty keyterm', { keyterm: ['tea', ''] }],
    ['a hint for the English model', { language_hint: 'de' }],
    ['redaction of names', { redact: 'pii' }],
  ])('%s refuses the handshake', async (_, options) => {
    const { errors, until } = await listening({}, options);
    await until(() => errors().length > 0);
    expect(errors()[0]!.message).toContain('400');
  });

  it('a wrong key refuses the handshake', async () => {
    const { errors, until } = await listening({}, {}, 'wrong');
    await until(() => errors().length > 0);
    expect(errors()[0]!.message).toContain('401');
  });

  it.each([
    [{ do: 'rate_limit', retry_after_seconds: 3 }, 429],
    [{ do: 'refuse', status: 503 }, 503],
  ])('plays the refusal %j', async (fault, status) => {
    const { errors, until } = await listening({ transcriber: [fault] });
    await until(() => errors().length > 0);
    expect(errors()[0]!.message).toContain(String(status));
  });
});

describe('a plain WebSocket to the emulator of Flux', () => {
  const opened = (server: SandboxServer, query: string, scheme = 'Token') =>
    new WebSocket(`ws://127.0.0.1:${server.port}/v2/listen?encoding=mulaw&sample_rate=8000&${query}`, {
      headers: { authorization: `${scheme} ${server.key}` },
    });

  it.each([
    ['language=en', 'Token', 400, 'INVALID_QUERY_PARAMETER', /unknown field `language`/],
    ['keyterm=tea', 'Bearer', 401, 'INVALID_AUTH', /credentials/],
  ])('is refused for %s with %s in the words of the vendor', async (query, scheme, status, code, message) => {
    const socket = opened(await aServer(), `model=flux-general-en&${query}`, scheme);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(status);
    const body = JSON.parse(await text(response)) as object;
    expect(body).toMatchObject({
      err_code: code,
      err_msg: expect.stringMatching(message),
      request_id: response.headers['dg-request-id'],
    });
  });

  it('receives the garbage of a registered script', async () => {
    const server = await aServer();
    const model = await registered(server, { legs: { transcriber: [{ do: 'garbage' }] } });
    const socket = opened(server, `model=${model}`);
    const received = new Collected<string>();
    socket.on('message', (data: Buffer) => received.push(data.toString()));
    await received.until(() => received.all.length > 1);
    expect(JSON.parse(received.all[0]!)).toMatchObject({ type: 'Connected', sequence_id: 0 });
    expect(() => JSON.parse(received.all[1]!) as unknown).toThrow(SyntaxError);
    socket.terminate();
  });
});
