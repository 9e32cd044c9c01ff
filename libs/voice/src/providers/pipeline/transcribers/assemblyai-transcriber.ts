import { transcode } from '@app/telephony';
import { z } from 'zod';
import type { EventSocket } from '../../socket/event-socket.js';
import { openProviderSession } from '../../socket/open-session.js';
import { shorten } from '../../socket/server-protocol.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { Transcriber, TranscriberEvent, TranscriberStream, TranscriptionRequest } from '../ports.js';
import {
  BUSY_MS,
  bytesPerMs,
  CLOSED_BY_CLIENT,
  expectedWords,
  languagesOf,
  messageReader,
  position,
  secondsUsed,
  socketUrl,
  StreamEvents,
  transcriberKind,
  type TranscriberOptions,
  words,
} from './transcription.js';

/** The vendor refuses messages of less than 50 ms or more than 1,000 ms of audio. */
const MESSAGE_MS = 60;
/** The formatted version of an ended turn usually follows within 100 ms. */
const FORMATTING_MS = 500;
/** The vendor takes 100 terms of at most 50 characters. */
const KEYTERMS = { most: 100, mostCharacters: 5_000 };

/** Too many sessions (3009), too many streams, rate limited. */
const BUSY_CODES = new Set([3009, 4029, 4102]);
/** Key, account or parameters must change first. 1008: unauthorized. 3006: invalid parameters. */
const FINAL_CODES = new Set([1008, 3006, 4000, 4001, 4002, 4003, 4101]);

type Socket = EventSocket<object, AssemblyAiMessage>;

/** AssemblyAI's streaming API, version 3. */
class AssemblyAiTranscriber implements Transcriber {
  readonly name: string;
  readonly billsConnection = true;

  constructor(private readonly options: TranscriberOptions) {
    this.name = options.name;
  }

  async open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream> {
    const { name, url, key, clock } = this.options;
    const handshake = {
      read: readAssemblyAiMessage,
      verdict: (message: AssemblyAiMessage) => {
        if (message.type === 'Error') return refusalOf(name, message.error_code, message.error);
        return message.type === 'Begin' ? ('accepted' as const) : undefined;
      },
      refusal: (reason: string) => refusalOf(name, closeCodeIn(reason), reason),
    };
    const { socket, attach } = await openProviderSession<object, AssemblyAiMessage>(
      {
        name,
        url: socketUrl(url, '/v3/ws', assemblyAiQuery(this.options, request)),
        authorization: key ? { authorization: key } : {},
        busyMs: BUSY_MS,
        clock,
      },
      handshake,
      signal,
    );
    const stream = new AssemblyAiStream(this.options, request, socket, onEvent);
    attach(stream);
    return stream;
  }
}

/** A-law is not supported, and is sent as mu-law. */
export function assemblyAiQuery(options: TranscriberOptions, request: TranscriptionRequest): [string, string][] {
  const { model } = options;
  const { codec, rate } = request.audio;
  const languages = languagesOf(request);
  const keyterms = expectedWords(options, request, KEYTERMS).filter((term) => term.length <= 50);
  const query: [string, string | false][] = [
    ['speech_model', model],
    ['encoding', codec === 'L16' ? 'pcm_s16le' : 'pcm_mulaw'],
    ['sample_rate', String(rate)],
    ['format_turns', formatsLater(model) && 'true'],
    // Without it, the Universal 3 models report words in pauses only.
    ['continuous_partials', /^u(?:niversal-)?3/.test(model) && 'true'],
    ['language_codes', /^universal-3-[5-9]/.test(model) && languages.length > 0 && JSON.stringify(languages)],
    ['language_detection', languages.length !== 1 && model !== 'universal-streaming-english' && 'true'],
    ['keyterms_prompt', keyterms.length > 0 && JSON.stringify(keyterms)],
  ];
  return query.filter((entry): entry is [string, string] => entry[1] !== false);
}

/** Models that send an ended turn twice: as it was spoken, then with punctuation. */
const formatsLater = (model: string): boolean => model.startsWith('universal-streaming');

class AssemblyAiStream implements TranscriberStream {
  private readonly events: StreamEvents;
  private readonly startedAt: number;
  private readonly messageBytes: number;
  private frames: Buffer[] = [];
  private collectedBytes = 0;
  private sentMs = 0;
  /** The turn that speech was reported for. */
  private startedTurn = -1;
  private lastFinalTurn = -1;
  /** Whether words of the current turn arrived. */
  private hasWords = false;
  /** `flush` ended the turn, not the vendor. */
  private isForced = false;
  /** An ended turn whose formatted version is still to come. */
  private unformatted: Turn | undefined;
  private cancelFormatting = (): void => undefined;

  constructor(
    private readonly options: TranscriberOptions,
    private readonly request: TranscriptionRequest,
    private readonly socket: Socket,
    onEvent: (event: TranscriberEvent) => void,
  ) {
    const { clock, name } = options;
    this.startedAt = clock.now();
    this.messageBytes = MESSAGE_MS * bytesPerMs(request.audio);
    // AssemblyAI charges the time that a session is open, not the audio (assemblyai.com/docs/billing-and-pricing).
    this.events = new StreamEvents(onEvent, () => secondsUsed(clock.now() - this.startedAt, name));
  }

  send(frame: Buffer): void {
    if (!this.events.isOpen) return;
    this.frames.push(this.request.audio.codec === 'PCMA' ? transcode(frame, 'PCMA', 'PCMU') : frame);
    this.collectedBytes += frame.length;
    if (this.collectedBytes < this.messageBytes) return;
    this.socket.sendBinary(Buffer.concat(this.frames));
    this.sentMs += this.collectedBytes / bytesPerMs(this.request.audio);
    this.frames = [];
    this.collectedBytes = 0;
  }

  flush(): void {
    if (!this.events.isOpen) return;
    this.isForced ||= this.hasWords;
    this.socket.send({ type: 'ForceEndpoint' });
  }

  close(): void {
    // A session without it is charged until the vendor ends it, after 3 hours.
    if (this.events.isOpen) this.socket.send({ type: 'Terminate' });
    this.finish(CLOSED_BY_CLIENT);
  }

  take(message: AssemblyAiMessage): void {
    switch (message.type) {
      case 'Turn':
        return this.turn(message);
      case 'SpeechStarted':
        this.startedTurn = Math.max(this.startedTurn, this.lastFinalTurn + 1);
        return this.events.emit({ type: 'speech_started', atMs: message.timestamp });
      case 'Warning':
        return this.events.emit({
          type: 'error',
          code: `warning_${message.warning_code ?? 0}`,
          message: shorten(message.warning),
        });
      case 'Error':
        return this.finish(shorten(message.error), isFinalCode(message.error_code, message.error));
      default:
        // Begin, Termination, Heartbeat, Silence, and types of later versions.
        return;
    }
  }

  end(reason: string): void {
    this.finish(reason, isFinalCode(closeCodeIn(reason), reason));
  }

  private finish(reason: string, final = false): void {
    this.release();
    this.socket.close();
    this.events.end(reason, final);
  }

  private turn(turn: Turn): void {
    if (turn.turn_order <= this.lastFinalTurn) return;
    if (this.unformatted && turn.turn_order > this.unformatted.turn_order) this.release();
    if (turn.turn_order > this.startedTurn && turn.words.length > 0) {
      this.startedTurn = turn.turn_order;
      this.events.emit({ type: 'speech_started', atMs: turn.words[0]!.start });
    }
    if (!turn.end_of_turn) return this.interim(turn);
    if (turn.turn_is_formatted || !formatsLater(this.options.model)) return this.final(turn);
    this.interim(turn);
    this.unformatted = turn;
    this.cancelFormatting = this.options.clock.after(FORMATTING_MS, () => this.release());
  }

  private interim(turn: Turn): void {
    // Before the end of a turn, some models leave unfinished words out of the transcript.
    const text = turn.words.map((word) => word.text).join(' ') || turn.transcript;
    if (text === '' && !this.hasWords) return;
    this.hasWords = text !== '';
    this.events.emit({ type: 'interim', text, endMs: this.endOf(turn), ...languageOf(turn) });
  }

  private final(turn: Turn): void {
    this.cancelFormatting();
    this.unformatted = undefined;
    this.lastFinalTurn = turn.turn_order;
    const { isForced, hasWords } = this;
    this.isForced = false;
    this.hasWords = false;
    const endMs = this.endOf(turn);
    const { transcript: text } = turn;
    if (text !== '') {
      const timed = turn.words.map((word) => ({ text: word.text, startMs: word.start, endMs: word.end }));
      this.events.emit({
        type: 'final',
        text,
        words: timed,
        startMs: timed[0]?.startMs ?? endMs,
        endMs,
        ...languageOf(turn),
      });
    } else if (hasWords) this.events.emit({ type: 'interim', text, endMs });
    if (!isForced) this.events.emit({ type: 'end_of_turn', atMs: endMs });
  }

  /** Takes an ended turn as it is, because its formatted version is late. */
  private release(): void {
    this.cancelFormatting();
    if (this.unformatted) this.final(this.unformatted);
  }

  private endOf(turn: Turn): number {
    return turn.words.at(-1)?.end ?? Math.round(this.sentMs);
  }
}

const languageOf = ({ language_code: language }: Turn): { language?: string } =>
  language === undefined ? {} : { language };

const isBusy = (code: number | undefined, text: string): boolean =>
  BUSY_CODES.has(code ?? 0) || /too many (?:concurrent )?(?:sessions|streams)/i.test(text);

const isFinalCode = (code: number | undefined, text: string): boolean =>
  FINAL_CODES.has(code ?? 0) && !isBusy(code, text);

function refusalOf(name: string, code: number | undefined, text: string): Error {
  const sentence = `The server of ${name} rejected the session: ${shorten(text)}`;
  if (isBusy(code, text)) return new ProviderBusy(sentence, BUSY_MS);
  return isFinalCode(code, text) ? new ProviderUnavailable(sentence) : new Error(sentence);
}

/** The code in the reason of a closed connection. */
function closeCodeIn(reason: string): number | undefined {
  const code = /\((\d{4})\)\.$/.exec(reason)?.[1];
  return code === undefined ? undefined : Number(code);
}

const READ = {
  Begin: z.object({}),
  Turn: z.object({
    turn_order: z.number().min(0).max(1_000_000_000),
    turn_is_formatted: z.boolean().default(false),
    end_of_turn: z.boolean().default(false),
    transcript: words.default(''),
    words: z
      .array(z.object({ text: z.string(), start: position, end: position }))
      .max(5_000)
      .default([]),
    language_code: z.string().optional(),
  }),
  SpeechStarted: z.object({ timestamp: position.default(0) }),
  Warning: z.object({ warning_code: z.number().optional(), warning: z.string().default('No reason was given.') }),
  Error: z.object({ error_code: z.number().optional(), error: z.string().default('No reason was given.') }),
};

const readTyped = messageReader(READ);

/** Errors of some servers have no type. */
export const readAssemblyAiMessage = (json: string): ReturnType<typeof readTyped> =>
  readTyped(json.startsWith('{"error"') ? `{"type":"Error",${json.slice(1)}` : json);

type AssemblyAiMessage = NonNullable<ReturnType<typeof readTyped>>;
type Turn = Extract<AssemblyAiMessage, { type: 'Turn' }>;

export const assemblyAi = transcriberKind('assemblyai', (options) => new AssemblyAiTranscriber(options));
