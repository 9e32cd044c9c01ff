import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type Clock, Watchdog } from '../../../clock.js';
import { vendorProblem, vendorServer, type VendorServer } from '../../provider-settings.js';
import { EventSocket } from '../../socket/event-socket.js';
import { endpointOf, eventReader, serverErrorOf, shorten } from '../../socket/server-protocol.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { SynthesizerKind } from '../leg-registry.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { LegAudio, SynthesisEvent, SynthesisRequest, Synthesizer, TimedWord } from '../ports.js';
import { charactersOf, SentenceAudio } from './sentence-audio.js';

const MODEL = 'sonic-3.5';
/** A voice of every account, from the vendor's examples. */
const VOICE = 'e07c00bc-4134-4eae-9ea4-1a55fb45746b';
/** The version of the protocol that this adapter speaks. */
const VERSION = '2026-08-14';
/** The range of the vendor; other speeds become the nearest one. */
const SPEED = [0.6, 1.5] as const;
const STALL_MS = 5_000;
/** The vendor refuses more contexts than the account may use at a time, and names no time. */
const BUSY_MS = 1_000;

export const cartesia: SynthesizerKind = {
  problem: (_choice, { settings }) => vendorProblem('synthesizer', 'cartesia', settings),
  open: (choice, { settings, clock }) => new Cartesia(choice, vendorServer('cartesia', settings)!, clock),
};

type ClientEvent = { context_id: string; cancel: true } | ({ context_id: string } & Record<string, unknown>);

type ServerEvent =
  | { type: 'chunk'; context_id: string; data: string }
  | { type: 'timestamps'; context_id: string; word_timestamps?: unknown }
  | { type: 'done'; context_id: string }
  | { type: 'error'; context_id?: string; status_code?: number };

type Socket = EventSocket<ClientEvent, ServerEvent>;

const read = eventReader<ServerEvent>({
  chunk: { context_id: 'string', data: 'string' },
  timestamps: { context_id: 'string', word_timestamps: 'object?' },
  done: { context_id: 'string' },
  error: { context_id: 'string?', status_code: 'number?' },
});

/**
 * All sentences share one WebSocket, which is open before the first one; each sentence is a context that can be cancelled alone. See
 * docs/decisions/0044-synthesizers.md.
 */
class Cartesia implements Synthesizer {
  readonly name: string;
  private readonly contexts = new Map<string, Context>();
  private readonly ending = new AbortController();
  private socket: Promise<Socket> | undefined;

  constructor(
    private readonly choice: SynthesizerChoice,
    private readonly server: VendorServer,
    private readonly clock: Clock,
  ) {
    this.name = `cartesia:${choice.model ?? MODEL}`;
  }

  async *speak(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<SynthesisEvent> {
    const socket = signal.aborted ? undefined : await unlessAborted(this.connected(), signal);
    if (!socket) return;
    const id = randomUUID();
    const context = new Context(request.audio, this.clock);
    const usage: SynthesisEvent = { type: 'usage', items: charactersOf(this.name, request) };
    const abort = () => context.stop();
    signal.addEventListener('abort', abort, { once: true });
    let isBilled = false;
    try {
      this.contexts.set(id, context);
      socket.send({ ...this.generation(request), context_id: id });
      for await (const event of context.events) {
        if (!isBilled) yield usage;
        isBilled = true;
        if (signal.aborted) return;
        yield event as SynthesisEvent;
        if (signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      if (!isBilled) yield usage;
    } finally {
      signal.removeEventListener('abort', abort);
      this.contexts.delete(id);
      if (!context.isDone) socket.send({ context_id: id, cancel: true });
      context.stop();
    }
  }

  async prepare(signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(this.connected(), signal);
    } catch {
      // The first sentence reports the failure when it fails as well.
    }
  }

  close(): void {
    this.ending.abort();
    this.socket?.then(
      (socket) => socket.close(),
      () => undefined,
    );
    this.lost('The conversation has ended.');
  }

  /** The open connection; a lost one is replaced. */
  private connected(): Promise<Socket> {
    this.socket ??= this.open().catch((error: unknown) => {
      this.socket = undefined;
      throw error;
    });
    return this.socket;
  }

  private open(): Promise<Socket> {
    const { url, key } = this.server;
    const endpoint = endpointOf({ url: `${url.replace(/^http/, 'ws')}/tts/websocket`, key });
    endpoint.headers['cartesia-version'] = VERSION;
    const listener = {
      event: (event: ServerEvent) => this.take(event),
      lost: (reason: string) => this.lost(reason),
    };
    return EventSocket.open({ name: 'Cartesia', clock: this.clock, endpoint, read, listener }, this.ending.signal);
  }

  private generation({ text, audio, language }: SynthesisRequest): Record<string, unknown> {
    const { model = MODEL, voice = VOICE, speed } = this.choice;
    return {
      model_id: model,
      transcript: text,
      voice: { mode: 'id', id: voice },
      output_format: { container: 'raw', encoding: ENCODINGS[audio.codec], sample_rate: audio.rate },
      ...(language && { language: language.split('-')[0]!.toLowerCase() }),
      ...(speed !== undefined && { generation_config: { speed: Math.min(SPEED[1], Math.max(SPEED[0], speed)) } }),
      add_timestamps: true,
      // The text is complete: waiting for more would delay its first audio.
      max_buffer_delay_ms: 0,
      continue: false,
    };
  }

  /** Events of contexts that ended here are late ones. */
  private take(event: ServerEvent): void {
    if (event.type === 'error') return this.refused(event);
    const context = this.contexts.get(event.context_id);
    if (event.type === 'chunk') context?.audio(event.data);
    if (event.type === 'timestamps') context?.words(wordsOf(event.word_timestamps));
    if (event.type === 'done') context?.done();
  }

  /** An error without a context concerns all; one about a request may be late, of a context that ended here. */
  private refused(event: ServerEvent & { type: 'error' }): void {
    const { context_id: id, status_code: status } = event;
    const hasContext = typeof id === 'string';
    if (!hasContext && (status === 400 || status === 404)) return;
    const error = errorOf(event, this.server.key);
    for (const context of hasContext ? [this.contexts.get(id)] : this.contexts.values()) context?.fail(error);
  }

  private lost(reason: string): void {
    this.socket = undefined;
    for (const context of this.contexts.values()) context.fail(new Error(`Cartesia: ${reason}`));
  }
}

const ENCODINGS: Record<LegAudio['codec'], string> = { PCMU: 'pcm_mulaw', PCMA: 'pcm_alaw', L16: 'pcm_s16le' };

/** The events of one sentence, from the connection to its reader. All of them fit into memory: the audio has a maximum. */
class Context {
  readonly events = new Readable({ objectMode: true, read: () => undefined });
  /** The server sends nothing more of it. */
  isDone = false;
  private readonly sentence: SentenceAudio;
  private readonly watchdog: Watchdog;

  constructor(format: LegAudio, clock: Clock) {
    this.sentence = new SentenceAudio('Cartesia', format);
    this.watchdog = new Watchdog(clock, STALL_MS, () => {
      this.events.destroy(new Error(`The server of Cartesia sent no audio for ${STALL_MS / 1_000} s.`));
    });
    this.watchdog.feed();
    // The reader may be elsewhere when the context fails; it sees the error with its next read.
    this.events.on('error', () => undefined);
  }

  audio(base64: string): void {
    try {
      const audio = this.sentence.push(Buffer.from(base64, 'base64'));
      if (!audio) return;
      this.watchdog.feed();
      this.push({ type: 'audio', audio });
    } catch (error) {
      this.stop(error as Error);
    }
  }

  words(words: TimedWord[]): void {
    if (words.length > 0) this.push({ type: 'words', words });
  }

  done(): void {
    const audio = this.sentence.end();
    if (audio) this.push({ type: 'audio', audio });
    this.isDone = true;
    this.watchdog.stop();
    this.events.push(null);
  }

  /** The server refused the sentence, or is gone. */
  fail(error: Error): void {
    this.isDone = true;
    this.stop(error);
  }

  stop(error?: Error): void {
    this.watchdog.stop();
    this.events.destroy(error);
  }

  private push(event: SynthesisEvent): void {
    if (!this.isDone && !this.events.destroyed) this.events.push(event);
  }
}

function errorOf(event: ServerEvent & { type: 'error' }, key: string | undefined): Error {
  const { code, message } = serverErrorOf(event);
  const { status_code: status = 500 } = event;
  const detail = shorten(message ?? code ?? '');
  const said = `(${status}): ${key ? detail.replaceAll(key, '…') : detail}`;
  if (status === 429) return new ProviderBusy(`The server of Cartesia asked for a later retry ${said}`, BUSY_MS);
  if (status >= 400 && status < 500 && status !== 408)
    return new ProviderUnavailable(`The server of Cartesia rejected the sentence ${said}`);
  return new Error(`The server of Cartesia is overloaded or broken ${said}`);
}

/** Lists of equal length, in seconds; other values are ignored, because words are a help only. */
function wordsOf(value: unknown): TimedWord[] {
  const { words, start, end } = (value ?? {}) as { words?: unknown; start?: unknown; end?: unknown };
  if (!Array.isArray(words) || !Array.isArray(start) || !Array.isArray(end)) return [];
  return words.flatMap((text: unknown, i) => {
    const [from, to]: unknown[] = [start[i], end[i]];
    if (typeof text !== 'string' || !isTime(from) || !isTime(to) || to < from) return [];
    return [{ text, startMs: Math.round(from * 1_000), endMs: Math.round(to * 1_000) }];
  });
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** Undefined: the signal aborted first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return undefined;
  }
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal }).then(() => undefined);
  aborted.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    settled.abort();
    work.catch(() => undefined);
  }
}
