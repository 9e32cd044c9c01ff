import { z } from 'zod';
import type { EventSocket } from '../../socket/event-socket.js';
import { openProviderSession } from '../../socket/open-session.js';
import { shorten } from '../../socket/server-protocol.js';
import type {
  LegAudio,
  TimedWord,
  Transcriber,
  TranscriberEvent,
  TranscriberStream,
  TranscriptionRequest,
} from '../ports.js';
import {
  BUSY_MS,
  bytesPerMs,
  CLOSED_BY_CLIENT,
  expectedWords,
  languagesOf,
  messageReader,
  milliseconds,
  seconds,
  secondsUsed,
  socketUrl,
  StreamEvents,
  type TranscriberOptions,
  words,
} from './transcription.js';

/** The vendor's advice for the least delay (developers.deepgram.com/docs/flux/quickstart). */
const MESSAGE_MS = 80;
/** Confidence for an early end, below the vendor's 0.7 for the end: the model begins to answer, and the turn may go on. */
const EAGER_THRESHOLD = '0.5';
/** The vendor refuses more than 500 tokens of keyterms. */
const KEYTERMS = { most: 100, mostCharacters: 1_500 };

const ENCODINGS: Record<LegAudio['codec'], string> = { PCMU: 'mulaw', PCMA: 'alaw', L16: 'linear16' };

export const isFlux = (model: string): boolean => model.startsWith('flux');

/** Deepgram's Flux (`/v2/listen`): it recognises words and decides itself when the user has finished. */
export class FluxTranscriber implements Transcriber {
  readonly name: string;
  readonly endsTurns = true;

  constructor(private readonly options: TranscriberOptions) {
    this.name = options.name;
  }

  async open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream> {
    const { name, url, key, clock } = this.options;
    const verdict = (message: FluxMessage) => {
      if (message.type === 'Error')
        return new Error(`The server of ${name} rejected the session: ${reasonOf(message)}`);
      return message.type === 'Connected' ? ('accepted' as const) : undefined;
    };
    const { socket, attach } = await openProviderSession<object, FluxMessage>(
      {
        name,
        url: socketUrl(url, '/v2/listen', fluxQuery(this.options, request)),
        authorization: key ? { authorization: `Token ${key}` } : {},
        busyMs: BUSY_MS,
        clock,
      },
      { read: readFluxMessage, verdict },
      signal,
    );
    const stream = new FluxStream(this.options, request.audio, socket, onEvent);
    attach(stream);
    return stream;
  }
}

export function fluxQuery(options: TranscriberOptions, request: TranscriptionRequest): [string, string][] {
  const { model } = options;
  const { codec, rate } = request.audio;
  // Only the multilingual model takes hints; without any it detects the language.
  const hints = model === 'flux-general-en' ? [] : languagesOf(request);
  return [
    ['model', model],
    ['encoding', ENCODINGS[codec]],
    ['sample_rate', String(rate)],
    ['eager_eot_threshold', EAGER_THRESHOLD],
    ...hints.map((language): [string, string] => ['language_hint', language]),
    ...expectedWords(options, request, KEYTERMS).map((word): [string, string] => ['keyterm', word]),
  ];
}

class FluxStream implements TranscriberStream {
  private readonly events: StreamEvents;
  private readonly messageBytes: number;
  private frames: Buffer[] = [];
  private collectedBytes = 0;
  private sentBytes = 0;
  /** The turn whose words are shown, and whether it has any. */
  private hasWords = false;

  constructor(
    options: TranscriberOptions,
    audio: LegAudio,
    private readonly socket: EventSocket<object, FluxMessage>,
    onEvent: (event: TranscriberEvent) => void,
  ) {
    this.messageBytes = MESSAGE_MS * bytesPerMs(audio);
    // Deepgram charges the duration of the audio, by the second and without a minimum (deepgram.com/pricing).
    this.events = new StreamEvents(onEvent, () => secondsUsed(this.sentBytes / bytesPerMs(audio), options.name));
  }

  send(frame: Buffer): void {
    if (!this.events.isOpen) return;
    this.frames.push(frame);
    this.collectedBytes += frame.length;
    if (this.collectedBytes < this.messageBytes) return;
    this.socket.sendBinary(Buffer.concat(this.frames));
    this.sentBytes += this.collectedBytes;
    this.frames = [];
    this.collectedBytes = 0;
  }

  /** The words of Flux are there a moment after they were said. `ForceEndTurn` would end the turn, which is not ours to decide. */
  flush(): void {}

  close(): void {
    if (this.events.isOpen) this.socket.send({ type: 'CloseStream' });
    this.end(CLOSED_BY_CLIENT);
  }

  take(message: FluxMessage): void {
    // Connected, and types of later versions, say nothing about the conversation.
    if (message.type === 'Error') this.end(reasonOf(message));
    else if (message.type === 'TurnInfo') this.turn(message);
  }

  end(reason: string): void {
    this.socket.close();
    this.events.end(reason);
  }

  private turn(turn: FluxTurn): void {
    const timed = timedWords(turn);
    const endMs = timed.at(-1)?.endMs ?? milliseconds(turn.audio_window_end);
    const startMs = timed[0]?.startMs ?? milliseconds(turn.audio_window_start);
    if (turn.event === 'StartOfTurn') this.events.emit({ type: 'speech_started', atMs: startMs });
    if (turn.event === 'EndOfTurn') return this.ended(turn, timed, { startMs, endMs });
    this.interim(turn, endMs);
    if (turn.event === 'EagerEndOfTurn') this.events.emit({ type: 'may_end', atMs: endMs });
    if (turn.event === 'TurnResumed') this.events.emit({ type: 'resumed', atMs: endMs });
  }

  private interim(turn: FluxTurn, endMs: number): void {
    const { transcript: text } = turn;
    // Updates come four times a second, also without words.
    if (text === '' && !this.hasWords) return;
    this.hasWords = text !== '';
    this.events.emit({ type: 'interim', text, endMs, ...languageOf(turn) });
  }

  private ended(turn: FluxTurn, timed: TimedWord[], range: { startMs: number; endMs: number }): void {
    const { transcript: text } = turn;
    if (text !== '') this.events.emit({ type: 'final', text, words: timed, ...range, ...languageOf(turn) });
    else if (this.hasWords) this.events.emit({ type: 'interim', text, endMs: range.endMs });
    this.hasWords = false;
    this.events.emit({ type: 'end_of_turn', atMs: range.endMs });
  }
}

/** Empty unless all words have their times. */
function timedWords({ words: all }: FluxTurn): TimedWord[] {
  const timed = all.flatMap(({ word, start, end }) =>
    start === undefined || end === undefined
      ? []
      : [{ text: word, startMs: milliseconds(start), endMs: milliseconds(end) }],
  );
  return timed.length === all.length ? timed : [];
}

const languageOf = ({ languages }: FluxTurn): { language?: string } => {
  const language = languages?.[0];
  return language === undefined ? {} : { language };
};

const reasonOf = ({ code, description }: Extract<FluxMessage, { type: 'Error' }>): string =>
  shorten(description ?? code ?? 'The server gave no reason.');

const READ = {
  Connected: z.object({}),
  TurnInfo: z.object({
    event: z.string(),
    audio_window_start: seconds.default(0),
    audio_window_end: seconds.default(0),
    transcript: words.default(''),
    words: z
      .array(z.object({ word: z.string(), start: seconds.optional(), end: seconds.optional() }))
      .max(5_000)
      .default([]),
    languages: z.array(z.string()).optional(),
  }),
  Error: z.object({ code: z.string().optional(), description: z.string().optional() }),
};

export const readFluxMessage = messageReader(READ);

type FluxMessage = NonNullable<ReturnType<typeof readFluxMessage>>;
type FluxTurn = Extract<FluxMessage, { type: 'TurnInfo' }>;
