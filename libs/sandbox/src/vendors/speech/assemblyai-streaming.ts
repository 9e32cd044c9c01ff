import type { BeginEvent, StreamingWord, TerminationEvent, TurnEvent } from 'assemblyai';
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Script, ScriptCache } from '../../server/script.js';
import type { Conversation, SocketEmulator } from '../emulator.js';
import { type HeardWord, Hearing, type HearingEvent, type HearingFormat } from './hearing.js';
import { LegConnection } from '../leg-connection.js';
import { LegFaults } from '../leg-faults.js';

const SESSION_SECONDS = 3 * 60 * 60;
const MIN_MESSAGE_MS = 50;
const MAX_MESSAGE_MS = 1_000;
/** Silence after which a turn with a complete sentence ends, and after which any turn ends. */
const MIN_SILENCE_MS = 400;
const MAX_SILENCE_MS = 1_280;
const NORMAL = 1000;

/** Errors as the vendor numbers them; the connection closes with the same code. */
const UNAUTHORIZED = 1008;
const SERVER_ERROR = 3005;
const INVALID_INPUT = 3006;
const AUDIO_DURATION = 3007;
const CONCURRENCY = 3009;

/** The streaming API of AssemblyAI, version 3. Refusals follow the handshake, as those of the vendor. */
export const assemblyAiStreaming: SocketEmulator = {
  serves: ({ pathname }) => pathname === '/v3/ws',

  open(request, { searchParams }, services) {
    const isKnown = services.isKnown(request);
    return (socket) => new StreamingConversation(socket, { isKnown, scripts: services.scripts }, searchParams);
  },
};

interface StreamingOptions {
  model: string;
  format: HearingFormat;
  minSilenceMs: number;
  maxSilenceMs: number;
  /** Words grow one by one, without punctuation until the end of the turn. */
  isWordByWord: boolean;
  formatsTurns: boolean;
  detectsLanguage: boolean;
}

/** A string: why the vendor refuses the parameters. */
function optionsOf(query: URLSearchParams): StreamingOptions | string {
  const encoding = query.get('encoding') ?? 'pcm_s16le';
  const rate = Number(query.get('sample_rate'));
  const codec = { pcm_s16le: 'PCM' as const, pcm_mulaw: 'PCMU' as const }[encoding];
  if (!codec) return `Bad connection parameters: encoding ${encoding} is not supported`;
  if (!(rate > 0 && rate % 8_000 === 0 && (codec === 'PCM' || rate === 8_000)))
    return `Bad connection parameters: sample_rate ${rate} is not supported`;
  const keyterms = query.get('keyterms_prompt');
  if (keyterms !== null && !isListOfStrings(keyterms))
    return 'Bad connection parameters: keyterms_prompt must be a list';
  const model = query.get('speech_model') ?? 'universal-3-5-pro';
  return {
    model,
    format: { codec, rate },
    minSilenceMs: Number(query.get('min_turn_silence') ?? MIN_SILENCE_MS),
    maxSilenceMs: Number(query.get('max_turn_silence') ?? MAX_SILENCE_MS),
    isWordByWord: model.startsWith('universal-streaming'),
    formatsTurns: query.get('format_turns') === 'true',
    detectsLanguage: query.get('language_detection') === 'true',
  };
}

function isListOfStrings(json: string): boolean {
  const list = parse(json);
  return Array.isArray(list) && list.every((one) => typeof one === 'string');
}

/** One session of a client. */
class StreamingConversation implements Conversation {
  private readonly startedAt = performance.now();
  private options: StreamingOptions | undefined;
  private script: Script | undefined;
  private hearing!: Hearing;
  private connection: LegConnection;
  private turnOrder = 0;
  /** Words of the current turn before the current utterance. */
  private turnWords: HeardWord[] = [];
  /** The start of a turn that is announced with its first words. */
  private startedMs: number | undefined;
  /** Where the silence ends the current turn. */
  private turnEndsMs: number | undefined;
  private closed = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly client: { isKnown: boolean; scripts: ScriptCache },
    private readonly query: URLSearchParams,
  ) {
    this.connection = new LegConnection(socket, new LegFaults([], 1), '');
  }

  begin(): void {
    if (!this.client.isKnown) return this.fail(UNAUTHORIZED, 'Unauthorized Connection: Missing Authorization header');
    const options = optionsOf(this.query);
    if (typeof options === 'string') return this.fail(INVALID_INPUT, options);
    const leg = this.client.scripts.openLeg(options.model, 'transcriber');
    if (!leg) return this.fail(INVALID_INPUT, `Bad connection parameters: unknown speech_model ${options.model}`);
    const { refusal } = leg.faults;
    if (refusal) return this.fail(...refusalOf(refusal));
    this.options = options;
    this.script = leg.script;
    this.hearing = new Hearing(options.format, leg.script.legs?.hears ?? [], options.minSilenceMs);
    this.connection = new LegConnection(this.socket, leg.faults, '{"type":"Turn","words":[');
    const expiresAt = Math.round(Date.now() / 1_000) + SESSION_SECONDS;
    const begin: BeginEvent = { type: 'Begin', id: randomUUID(), expires_at: expiresAt };
    this.connection.send({ ...begin, configuration: { model: options.model } });
    this.connection.progressed(0);
  }

  receive(text: string): void {
    if (this.closed) return;
    const message = parse(text) as { type?: unknown } | undefined;
    if (message === undefined) return this.fail(INVALID_INPUT, `Invalid JSON: ${text.slice(0, 60)}`);
    switch (message?.type) {
      case 'ForceEndpoint':
        this.turnWords.push(...this.hearing.flush());
        return this.turnWords.length > 0 ? this.endTurn() : undefined;
      case 'UpdateConfiguration':
      case 'KeepAlive':
        return;
      case 'Terminate':
        return this.terminate();
      default:
        return this.fail(INVALID_INPUT, `Invalid Message Type: ${String(message?.type)}`);
    }
  }

  receiveBinary(audio: Buffer): void {
    if (this.closed || !this.options) return;
    const { codec, rate } = this.options.format;
    const ms = audio.length / (codec === 'PCM' ? 2 : 1) / (rate / 1_000);
    if (ms < MIN_MESSAGE_MS || ms > MAX_MESSAGE_MS) {
      const limits = `Expected between ${MIN_MESSAGE_MS} and ${MAX_MESSAGE_MS} ms`;
      return this.fail(AUDIO_DURATION, `Input duration violation: ${ms} ms. ${limits}`);
    }
    this.hearing.push(audio, (event) => {
      this.connection.progressed(this.hearing.audioMs);
      if (event) this.heard(event);
      const { isSpeaking, audioMs } = this.hearing;
      if (!isSpeaking && this.turnEndsMs !== undefined && audioMs >= this.turnEndsMs) this.endTurn();
    });
  }

  close(): void {
    this.closed = true;
    this.connection.ended();
  }

  private heard(event: HearingEvent): void {
    const { isWordByWord, maxSilenceMs } = this.options!;
    if (event.type === 'started') {
      this.turnEndsMs = undefined;
      if (this.turnWords.length === 0 && !isWordByWord) this.startedMs = event.atMs;
    } else if (event.type === 'interim') this.partial([...this.turnWords, ...event.words]);
    else {
      this.turnWords.push(...event.words);
      if (this.turnWords.length === 0) return;
      if (/[.?!\]]$/.test(this.turnWords.at(-1)!.text)) return this.endTurn();
      this.partial(this.turnWords);
      this.turnEndsMs = event.endMs + maxSilenceMs;
    }
  }

  private partial(words: readonly HeardWord[]): void {
    const { isWordByWord } = this.options!;
    const last = words.length - 1;
    const all = words.map((word, i) => this.word(isWordByWord ? bare(word) : word, isWordByWord && i < last));
    // The unfinished word is not in the transcript.
    const transcript = textOf(isWordByWord ? all.slice(0, last) : all);
    this.turn(transcript, all, { end_of_turn: false, turn_is_formatted: false });
  }

  private endTurn(): void {
    const { isWordByWord, formatsTurns } = this.options!;
    const words = this.turnWords;
    this.turnWords = [];
    this.turnEndsMs = undefined;
    const formatted = words.map((word) => this.word(word, true));
    const plain = words.map((word) => this.word(bare(word), true));
    if (isWordByWord) this.turn(textOf(plain), plain, { end_of_turn: true, turn_is_formatted: false });
    if (!isWordByWord || formatsTurns)
      this.turn(textOf(formatted), formatted, { end_of_turn: true, turn_is_formatted: true });
    this.turnOrder++;
  }

  private turn(
    transcript: string,
    words: StreamingWord[],
    state: Pick<TurnEvent, 'end_of_turn' | 'turn_is_formatted'>,
  ): void {
    const { detectsLanguage } = this.options!;
    if (this.startedMs !== undefined) this.connection.sendResult({ type: 'SpeechStarted', timestamp: this.startedMs });
    this.startedMs = undefined;
    const language = this.script?.agent.language?.split('-')[0] ?? 'en';
    const turn: TurnEvent = {
      type: 'Turn',
      turn_order: this.turnOrder,
      ...state,
      transcript,
      end_of_turn_confidence: state.end_of_turn ? 1 : 0,
      words,
      ...(detectsLanguage && state.end_of_turn ? { language_code: language, language_confidence: 0.99 } : {}),
    };
    this.connection.sendResult(turn);
  }

  private word({ text, startMs, endMs }: HeardWord, isFinal: boolean): StreamingWord {
    return { text, start: startMs, end: endMs, confidence: 0.99, word_is_final: isFinal };
  }

  private terminate(): void {
    if (!this.options) return;
    this.turnWords.push(...this.hearing.flush());
    if (this.turnWords.length > 0) this.endTurn();
    this.closed = true;
    const termination: TerminationEvent = {
      type: 'Termination',
      audio_duration_seconds: this.hearing.audioMs / 1_000,
      session_duration_seconds: Math.round((performance.now() - this.startedAt) / 1_000),
    };
    this.connection.send(termination);
    this.connection.close(NORMAL);
  }

  private fail(code: number, error: string): void {
    this.closed = true;
    this.connection.send({ type: 'Error', error_code: code, error });
    this.connection.close(code, error);
  }
}

const textOf = (words: readonly StreamingWord[]): string => words.map(({ text }) => text).join(' ');

/** A word as it is before its turn is formatted. */
const bare = (word: HeardWord): HeardWord => ({
  ...word,
  text: word.text.startsWith('[') ? word.text : word.text.toLowerCase().replace(/^[\p{P}]+|[\p{P}]+$/gu, ''),
});

/** The vendor names no time after which a retry may help. */
function refusalOf({ status, retryAfterSeconds }: NonNullable<LegFaults['refusal']>): [number, string] {
  if (retryAfterSeconds !== undefined) return [CONCURRENCY, 'Unauthorized Connection: Too many concurrent sessions'];
  if (status === 401) return [UNAUTHORIZED, 'Unauthorized Connection: Missing Authorization header'];
  if (status === 400) return [INVALID_INPUT, 'Bad connection parameters'];
  return [SERVER_ERROR, 'Session Cancelled: An error occurred'];
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
