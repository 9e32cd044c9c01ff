import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import {
  bytesPerMsOf,
  type EmulatedFormat,
  type Encoding,
  sendSpeech,
  type SpokenChunk,
  spokenChunks,
} from './emulated-speech.js';
import type { Conversation, EmulatorServices, SocketEmulator } from '../emulator.js';
import type { LegFaults } from '../leg-faults.js';

const ENCODINGS: Record<string, Encoding> = { pcm_s16le: 'pcm', pcm_mulaw: 'mulaw', pcm_alaw: 'alaw' };
const RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const generation = z.object({
  context_id: z.string().min(1),
  model_id: z.string().min(1),
  transcript: z.string(),
  voice: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
  output_format: z.object({
    container: z.literal('raw'),
    encoding: z.enum(['pcm_s16le', 'pcm_mulaw', 'pcm_alaw']),
    sample_rate: z.number().refine((rate) => RATES.includes(rate)),
  }),
  language: z.string().nullish(),
  generation_config: z.object({ speed: z.number().min(0.6).max(1.5).optional() }).nullish(),
  add_timestamps: z.boolean().nullish(),
  continue: z.boolean().nullish(),
  flush: z.boolean().nullish(),
});
const cancellation = z.object({ context_id: z.string(), cancel: z.literal(true) });

type Generation = z.output<typeof generation>;

/** Text to speech of Cartesia over a WebSocket with contexts. */
export const cartesiaSpeech: SocketEmulator = {
  serves: (url) => url.pathname === '/tts/websocket',
  open: (request, url, services) => {
    const version = request.headers['cartesia-version'] ?? url.searchParams.get('cartesia_version');
    if (!version) return 400;
    if (!services.isKnown(request)) return 401;
    return (socket) => new CartesiaConversation(socket, services);
  },
};

/** One context: its transcripts are spoken one after the other. */
interface Context {
  stopped: AbortController;
  faults: LegFaults;
  /** Ends with the last transcript so far. */
  spoken: Promise<boolean>;
  offsetMs: number;
  flushes: number;
  words: JoinedWords;
}

class CartesiaConversation implements Conversation {
  private readonly contexts = new Map<string, Context>();

  constructor(
    private readonly socket: WebSocket,
    private readonly services: EmulatorServices,
  ) {}

  begin(): void {
    // The client speaks first.
  }

  receive(text: string): void {
    const message = parse(text);
    const cancelled = cancellation.safeParse(message);
    if (cancelled.success) return this.cancel(cancelled.data.context_id);
    const read = generation.safeParse(message);
    if (read.success) return this.generate(read.data);
    const contextId = (message as { context_id?: unknown } | undefined)?.context_id;
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') ?? '';
    this.fail(typeof contextId === 'string' ? contextId : undefined, 400, `${where}: ${issue?.message ?? 'invalid'}`);
  }

  close(): void {
    for (const { stopped } of this.contexts.values()) stopped.abort();
    this.contexts.clear();
  }

  /** Nothing of the context is sent any more. */
  private cancel(id: string): void {
    this.contexts.get(id)?.stopped.abort();
    this.contexts.delete(id);
  }

  private generate(request: Generation): void {
    const { context_id: id, voice, transcript } = request;
    if (!UUID.test(voice)) return this.fail(id, 404, `Voice ${voice} was not found.`);
    if (transcript.trim() === '' && !this.contexts.has(id)) return this.fail(id, 400, 'The transcript is empty.');
    const context = this.contexts.get(id) ?? this.opened(request);
    if (!context) return;
    context.spoken = context.spoken.then((isWhole) => isWhole && this.speak(request, context));
  }

  /** Undefined: the server refuses the context. */
  private opened({ context_id: id, model_id: model }: Generation): Context | undefined {
    const leg = this.services.scripts.openLeg(model, 'synthesizer');
    if (!leg) {
      this.fail(id, 404, `Model ${model} was not found.`);
      return undefined;
    }
    const { faults } = leg;
    const { status } = faults.refusal ?? {};
    if (status !== undefined) {
      this.fail(id, status, REFUSALS[status] ?? '');
      return undefined;
    }
    const context: Context = {
      stopped: new AbortController(),
      faults,
      spoken: Promise.resolve(true),
      offsetMs: 0,
      flushes: 0,
      words: new JoinedWords(),
    };
    this.contexts.set(id, context);
    return context;
  }

  private async speak(request: Generation, context: Context): Promise<boolean> {
    const { context_id: id } = request;
    const { signal } = context.stopped;
    try {
      if (request.transcript.trim() !== '' && !(await this.play(request, context))) return false;
      if (signal.aborted) return false;
      const words = context.words.rest();
      if (request.add_timestamps && words.words.length > 0) await this.timestamps(id, words);
      if (request.flush)
        await this.send({
          type: 'flush_done',
          context_id: id,
          flush_id: ++context.flushes,
          flush_done: true,
          done: false,
          status_code: 206,
        });
      if (request.continue) return true;
      this.contexts.delete(id);
      await this.send({ type: 'done', context_id: id, done: true, status_code: 200 });
    } catch (error) {
      this.fail(id, 500, `Internal error: ${String(error)}`);
    }
    return false;
  }

  private play(request: Generation, context: Context): Promise<boolean> {
    const { context_id: id, output_format: output, transcript: text, language, generation_config: config } = request;
    const { stopped, faults, words } = context;
    const format: EmulatedFormat = { encoding: ENCODINGS[output.encoding]!, rate: output.sample_rate };
    const bytesPerMs = bytesPerMsOf(format);
    const wanted = { text, language: language ?? undefined, speed: config?.speed, ...format };
    const chunks = spokenChunks(this.services.speech, wanted, stopped.signal);
    const chunk = async (spoken: SpokenChunk): Promise<void> => {
      const complete = words.add(spoken.characters, context.offsetMs);
      if (request.add_timestamps && complete.words.length > 0) await this.timestamps(id, complete);
      const data = spoken.audio.toString('base64');
      await this.send({ type: 'chunk', context_id: id, data, done: false, status_code: 206, step_time: 1 });
      playedMs += spoken.audio.length / bytesPerMs;
    };
    let playedMs = 0;
    const outlet = { chunk, garbage: () => this.socket.send('{"type":"chunk",'), cut: () => this.socket.terminate() };
    return sendSpeech(chunks, { faults, bytesPerMs }, outlet, stopped.signal).finally(
      () => (context.offsetMs += playedMs),
    );
  }

  private timestamps(id: string, words: WordTimestamps): Promise<void> {
    return this.send({ type: 'timestamps', context_id: id, word_timestamps: words, done: false, status_code: 206 });
  }

  private fail(id: string | undefined, status: number, message: string): void {
    if (id !== undefined) this.cancel(id);
    const error = { type: 'error', done: true, status_code: status, title: TITLES[status] ?? 'Error', message };
    void this.send({ ...error, error_code: CODES[status] ?? null, request_id: randomUUID(), context_id: id });
  }

  /** Resolves when the message is written, so that a slow client slows the speech. */
  private send(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== this.socket.OPEN) return resolve();
      this.socket.send(JSON.stringify(message), () => resolve());
    });
  }
}

interface WordTimestamps {
  words: string[];
  start: number[];
  end: number[];
}

/** Joins characters to words. */
class JoinedWords {
  private word: { text: string; startMs: number; endMs: number } | undefined;

  /** The words that the characters complete. */
  add(characters: SpokenChunk['characters'], offsetMs: number): WordTimestamps {
    const complete: WordTimestamps = { words: [], start: [], end: [] };
    for (const { text, startMs, endMs } of characters) {
      if (/\s/.test(text)) this.take(complete);
      else
        this.word = {
          text: (this.word?.text ?? '') + text,
          startMs: this.word?.startMs ?? startMs + offsetMs,
          endMs: endMs + offsetMs,
        };
    }
    return complete;
  }

  rest(): WordTimestamps {
    const complete: WordTimestamps = { words: [], start: [], end: [] };
    this.take(complete);
    return complete;
  }

  private take({ words, start, end }: WordTimestamps): void {
    if (!this.word) return;
    words.push(this.word.text);
    start.push(Math.round(this.word.startMs) / 1_000);
    end.push(Math.round(this.word.endMs) / 1_000);
    this.word = undefined;
  }
}

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  401: 'Unauthorized',
  404: 'Not found',
  429: 'Too many concurrent requests',
  500: 'Internal error',
  503: 'Service unavailable',
};
const CODES: Record<number, string> = { 429: 'concurrency_limited' };
const REFUSALS: Record<number, string> = {
  400: 'The request is invalid.',
  401: 'The API key is invalid.',
  429: "You have exceeded your plan's concurrency limit.",
  500: 'An internal error occurred.',
  503: 'The service is temporarily unavailable.',
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
