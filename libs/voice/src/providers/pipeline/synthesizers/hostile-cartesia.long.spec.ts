import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type WebSocket, WebSocketServer } from 'ws';
import { SeededRandom } from '../../../../../../test/support/seeded-random.js';
import { broken } from '../../../../test/hostile-events.js';
import { failure, KEY, noise, SpeechServer } from '../../../../test/speech-server.js';
import { L16, PCMU, type Spoken, spoken } from '../../../../test/spoken-sentences.js';
import { TestClock } from '../../../../test/test-clock.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { SynthesisEvent } from '../ports.js';
import { bytesOf } from './sentence-audio.js';

const TEXT = 'Good morning.';

const server = new SpeechServer();
afterEach(() => server.close());

describe('a hostile server of cartesia', () => {
  let sockets: WebSocketServer;
  afterEach(() => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  });

  /** Answers each message of the client. */
  async function answering(
    answer: (socket: WebSocket, message: { context_id: string; cancel?: true }) => void,
  ): Promise<string> {
    const url = await server.answering((response) => response.writeHead(404).end());
    sockets = new WebSocketServer({ server: server.http!, path: '/tts/websocket' });
    sockets.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => answer(socket, JSON.parse(data.toString()) as { context_id: string }));
    });
    return url;
  }

  const send = (socket: WebSocket, event: object): void => socket.send(JSON.stringify(event));
  const provider = 'cartesia';

  it('samples that are cut by messages arrive whole, and half a sample is dropped', async () => {
    const sent = noise(3_000);
    const url = await answering((socket, { context_id }) => {
      const bytes = Buffer.concat([bytesOf(sent), Buffer.alloc(1)]);
      const cuts = [1, 2, 5, 1_001, bytes.length];
      for (const [i, end] of cuts.entries())
        send(socket, { type: 'chunk', context_id, data: bytes.subarray(cuts[i - 1] ?? 0, end).toString('base64') });
      send(socket, { type: 'done', context_id });
    });
    const { audio } = await spoken(await server.synthesizer(url, { provider }), { text: TEXT, audio: L16 });
    expect(audio.equals(bytesOf(sent))).toBe(true);
  });

  it('malformed events end the sentence in audio or an error, and the next one is spoken', async () => {
    const random = new SeededRandom('cartesia');
    const examples = (context_id: string) => [
      { type: 'chunk', context_id, data: 'AAAA', done: false, status_code: 206 },
      { type: 'timestamps', context_id, word_timestamps: { words: ['a'], start: [0], end: [0.1] } },
      { type: 'error', context_id, status_code: 500, title: 'No', message: 'no' },
    ];
    let isHostile = true;
    const url = await answering((socket, { context_id, cancel }) => {
      if (cancel) return;
      if (isHostile) socket.send(broken(random.pick(examples(context_id)), random));
      send(socket, { type: 'chunk', context_id, data: Buffer.alloc(1_600).toString('base64') });
      send(socket, { type: 'done', context_id });
    });
    const synthesizer = await server.synthesizer(url, { provider });
    for (let i = 0; i < 200; i++) {
      const result = await spoken(synthesizer, { text: TEXT }).catch((error: unknown) => error);
      const { words } = result instanceof Error ? { words: [] } : (result as Spoken);
      for (const word of words)
        expect(word).toEqual({ text: expect.any(String), startMs: expect.any(Number), endMs: expect.any(Number) });
    }
    isHostile = false;
    expect((await spoken(synthesizer, { text: TEXT })).audio).toHaveLength(1_600);
  });

  it.each([
    ['binary data', (socket: WebSocket) => socket.send(Buffer.alloc(100))],
    ['a message that is too large', (socket: WebSocket) => socket.send('x'.repeat(5_000_000))],
    ['a closed connection', (socket: WebSocket) => socket.close(1011, 'bye')],
    ['a cut connection', (socket: WebSocket) => socket.terminate()],
  ])('%s fails all running sentences, and the next one gets a new connection', async (_, fault) => {
    let connections = 0;
    const url = await answering((socket, { context_id, cancel }) => {
      if (cancel) return;
      if (connections === 1) return fault(socket);
      send(socket, { type: 'chunk', context_id, data: Buffer.alloc(1_600).toString('base64') });
      send(socket, { type: 'done', context_id });
    });
    sockets.on('connection', () => connections++);
    const synthesizer = await server.synthesizer(url, { provider });
    const running = await Promise.all([1, 2, 3].map(() => failure(spoken(synthesizer, { text: TEXT }))));
    for (const error of running) expect(error).not.toBeInstanceOf(ProviderUnavailable);
    expect((await spoken(synthesizer, { text: TEXT })).audio).toHaveLength(1_600);
    expect(connections).toBe(2);
  });

  it('endless audio fails the sentence and cancels its context', async () => {
    let cancelled = (): void => undefined;
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve));
    const url = await answering((socket, { context_id, cancel }) => {
      if (cancel) return cancelled();
      const data = Buffer.alloc(1_200_000).toString('base64');
      for (let i = 0; i < 10; i++) send(socket, { type: 'chunk', context_id, data });
    });
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT, audio: L16 }));
    expect(error.message).toContain('more than 5 min');
    await isCancelled;
  });

  it('an abort cancels its context alone; late audio of it reaches no other sentence', async () => {
    const cancelled: string[] = [];
    const ids: string[] = [];
    const url = await answering((socket, { context_id, cancel }) => {
      if (cancel) {
        cancelled.push(context_id);
        send(socket, { type: 'chunk', context_id, data: Buffer.alloc(8_000, 1).toString('base64') });
        send(socket, { type: 'error', context_id, status_code: 400, title: 'Late', message: 'unknown context' });
        send(socket, { type: 'error', status_code: 400, title: 'Late', message: 'unknown context' });
        send(socket, { type: 'chunk', context_id: ids[1], data: Buffer.alloc(1_600).toString('base64') });
        send(socket, { type: 'done', context_id: ids[1] });
      } else {
        ids.push(context_id);
        send(socket, { type: 'chunk', context_id, data: Buffer.alloc(1_600).toString('base64') });
      }
    });
    const synthesizer = await server.synthesizer(url, { provider });
    const abort = new AbortController();
    const first: SynthesisEvent['type'][] = [];
    const speakFirst = async () => {
      for await (const { type } of synthesizer.speak({ text: TEXT, audio: PCMU }, abort.signal)) {
        first.push(type);
        if (type === 'audio' && second) abort.abort();
      }
    };
    let second: Promise<Spoken> | undefined;
    const running = speakFirst();
    second = spoken(synthesizer, { text: 'Other.' });
    await running;
    expect((await second).audio.equals(Buffer.alloc(3_200))).toBe(true);
    expect(first.filter((type) => type === 'audio')).toHaveLength(1);
    expect(cancelled).toEqual([ids[0]]);
  });

  it('an abort before the first audio ends the sentence, which is billed', async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const url = await answering(() => asked());
    const synthesizer = await server.synthesizer(url, { provider });
    const abort = new AbortController();
    const sentence = spoken(synthesizer, { text: TEXT }, abort.signal);
    await isAsked;
    abort.abort();
    expect((await sentence).usage).toMatchObject([{ kind: 'synthesis_characters', quantity: 0.013 }]);
  });

  it.each([
    [401, ProviderUnavailable],
    [402, ProviderUnavailable],
    [429, ProviderBusy],
    [500, Error],
  ])('an error event with the status %d is an error of its kind, without the key', async (status, kind) => {
    const url = await answering((socket, { context_id }) =>
      send(socket, { type: 'error', context_id, status_code: status, title: 'No', message: `The key ${KEY} is bad.` }),
    );
    const error = await failure(spoken(await server.synthesizer(url, { provider }), { text: TEXT }));
    expect(error.constructor).toBe(kind);
    expect(error.message).toContain('is bad');
    expect(error.message).not.toContain(KEY);
  });

  it('a server that sends nothing fails the sentence after 5 s, and leaves no timer', async () => {
    const clock = new TestClock();
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const url = await answering(() => asked());
    const synthesizer = await server.synthesizer(url, { provider }, clock);
    const failed = failure(spoken(synthesizer, { text: TEXT }));
    await isAsked;
    clock.advance(4_999);
    clock.advance(1);
    expect((await failed).message).toMatch(/sent no audio for 5 s|stopped responding/);
    const closed = once([...sockets.clients][0]!, 'close');
    synthesizer.close?.();
    await closed;
    while (clock.pendingTimers > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('a failed handshake fails the sentence, and the next one tries again', async () => {
    const url = await answering((socket, { context_id }) => send(socket, { type: 'done', context_id }));
    sockets.shouldHandle = () => false;
    const synthesizer = await server.synthesizer(url, { provider });
    await synthesizer.prepare?.(new AbortController().signal);
    expect(await failure(spoken(synthesizer, { text: TEXT }))).toBeInstanceOf(ProviderUnavailable);
    sockets.shouldHandle = () => true;
    expect((await spoken(synthesizer, { text: TEXT })).audio).toHaveLength(0);
  });
});
