import { z } from 'zod';
import type { EventSocket } from '../../socket/event-socket.js';
import { openProviderSession } from '../../socket/open-session.js';
import { shorten } from '../../socket/server-protocol.js';
import type { LegAudio, Transcriber, TranscriberEvent, TranscriberStream, TranscriptionRequest } from '../ports.js';
import { FluxTranscriber, isFlux } from './deepgram-flux.js';
import {
  BUSY_MS,
  bytesPerMs,
  CLOSED_BY_CLIENT,
  expectedWords,
  languagesOf,
  messageReader,
  milliseconds,
  primaryLanguage,
  seconds,
  secondsUsed,
  socketUrl,
  StreamEvents,
  transcriberKind,
  type TranscriberOptions,
  words,
} from './transcription.js';

/** Silence that finalises a part. Shorter ones cut sentences, and the vendor ends each part with punctuation. */
const ENDPOINTING_MS = 300;
/** The vendor's advice for speech in several languages. */
const ENDPOINTING_MULTI_MS = 100;
/** The shortest gap between words that the vendor reports. */
const UTTERANCE_END_MS = 1_000;
/** The vendor closes a stream without audio after 10 s. */
const KEEP_ALIVE_MS = 4_000;
/** The vendor refuses more than 500 tokens of keyterms. */
const KEYTERMS = { most: 100, mostCharacters: 1_500 };

const ENCODINGS: Record<LegAudio['codec'], string> = { PCMU: 'mulaw', PCMA: 'alaw', L16: 'linear16' };

/** The tags with a region that the vendor knows; others are sent without their region, because it refuses them. */
const REGIONS = new Set(
  'en-US en-AU en-GB en-IN en-NZ en-CA en-IE es-419 fr-CA de-CH pt-BR pt-PT nl-BE da-DK sv-SE th-TH ko-KR zh-CN zh-TW zh-HK zh-Hans zh-Hant'.split(
    ' ',
  ),
);

type Socket = EventSocket<object, DeepgramMessage>;

/** Deepgram's live transcription (`/v1/listen`) with the Nova models. */
class DeepgramTranscriber implements Transcriber {
  readonly name: string;

  constructor(private readonly options: TranscriberOptions) {
    this.name = options.name;
  }

  async open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream> {
    const { name, url, key, clock } = this.options;
    const { socket, attach } = await openProviderSession<object, DeepgramMessage>(
      {
        name,
        url: socketUrl(url, '/v1/listen', deepgramQuery(this.options, request)),
        authorization: key ? { authorization: `Token ${key}` } : {},
        busyMs: BUSY_MS,
        clock,
      },
      { read: readDeepgramMessage },
      signal,
    );
    const stream = new DeepgramStream(this.options, request.audio, socket, onEvent);
    attach(stream);
    return stream;
  }
}

export function deepgramQuery(options: TranscriberOptions, request: TranscriptionRequest): [string, string][] {
  const { model } = options;
  const { codec, rate } = request.audio;
  const language = languageFor(model, request);
  // Nova 3 refuses `keywords`, and older models know no `keyterm`.
  const keyterms = model.startsWith('nova-3') ? 'keyterm' : 'keywords';
  return [
    ['model', model],
    ['encoding', ENCODINGS[codec]],
    ['sample_rate', String(rate)],
    ['channels', '1'],
    ['language', language],
    ['punctuate', 'true'],
    ['interim_results', 'true'],
    ['vad_events', 'true'],
    ['endpointing', String(language === 'multi' ? ENDPOINTING_MULTI_MS : ENDPOINTING_MS)],
    ['utterance_end_ms', String(UTTERANCE_END_MS)],
    ...expectedWords(options, request, KEYTERMS).map((word): [string, string] => [keyterms, word]),
  ];
}

/** Older models recognise one language. */
const isMultilingual = (model: string): boolean => /^(?:nova-[2-9]|script-)/.test(model);

function languageFor(model: string, request: TranscriptionRequest): string {
  if (languagesOf(request).length !== 1 && isMultilingual(model)) return 'multi';
  const tag = request.language ?? request.languages[0] ?? 'en';
  return [...REGIONS].find((known) => known.toLowerCase() === tag.toLowerCase()) ?? primaryLanguage(tag);
}

class DeepgramStream implements TranscriberStream {
  private readonly events: StreamEvents;
  private sentBytes = 0;
  private keptBytes = 0;
  private interim = '';
  private cancelKeepAlive = (): void => undefined;

  constructor(
    private readonly options: TranscriberOptions,
    audio: LegAudio,
    private readonly socket: Socket,
    onEvent: (event: TranscriberEvent) => void,
  ) {
    // Deepgram charges the duration of the audio, by the second and without a minimum (deepgram.com/pricing).
    this.events = new StreamEvents(onEvent, () => secondsUsed(this.sentBytes / bytesPerMs(audio), options.name));
    this.keepAlive();
  }

  send(frame: Buffer): void {
    if (!this.events.isOpen) return;
    this.sentBytes += frame.length;
    this.socket.sendBinary(frame);
  }

  flush(): void {
    if (this.events.isOpen) this.socket.send({ type: 'Finalize' });
  }

  close(): void {
    if (this.events.isOpen) this.socket.send({ type: 'CloseStream' });
    this.end(CLOSED_BY_CLIENT);
  }

  take(message: DeepgramMessage): void {
    switch (message.type) {
      case 'Results':
        return this.results(message);
      case 'SpeechStarted':
        return this.events.emit({ type: 'speech_started', atMs: milliseconds(message.timestamp) });
      case 'UtteranceEnd':
        // -1: no word was final.
        if (message.last_word_end >= 0)
          this.events.emit({ type: 'end_of_turn', atMs: milliseconds(message.last_word_end) });
        return;
      case 'Error':
        return this.events.emit({
          type: 'error',
          code: message.variant ?? message.err_code ?? 'deepgram_error',
          message: shorten(message.description ?? message.message ?? message.err_msg ?? 'No reason was given.'),
        });
      default:
        // Metadata at the end, and types of later versions.
        return;
    }
  }

  end(reason: string): void {
    this.cancelKeepAlive();
    this.socket.close();
    this.events.end(reason);
  }

  /** `speech_final` only says that ENDPOINTING_MS of silence passed, so it is not an opinion about the turn. */
  private results({ start, duration, is_final: isFinal, channel }: DeepgramResults): void {
    const [best] = channel.alternatives;
    const text = best?.transcript ?? '';
    const timed = (best?.words ?? []).map((word) => ({
      text: word.punctuated_word ?? word.word,
      startMs: milliseconds(word.start),
      endMs: milliseconds(word.end),
    }));
    const startMs = timed[0]?.startMs ?? milliseconds(start);
    const endMs = timed.at(-1)?.endMs ?? milliseconds(start + duration);
    const language = best?.languages?.[0];
    const common = { text, endMs, ...(language === undefined ? {} : { language }) };
    if (isFinal && text !== '') this.events.emit({ type: 'final', ...common, words: timed, startMs });
    // Words that turned out to be noise disappear.
    else if (text !== '' || this.interim !== '') this.events.emit({ type: 'interim', ...common });
    this.interim = isFinal ? '' : text;
  }

  private keepAlive(): void {
    this.cancelKeepAlive = this.options.clock.after(KEEP_ALIVE_MS, () => {
      if (this.sentBytes === this.keptBytes) this.socket.send({ type: 'KeepAlive' });
      this.keptBytes = this.sentBytes;
      this.keepAlive();
    });
  }
}

const READ = {
  Results: z.object({
    start: seconds.default(0),
    duration: seconds.default(0),
    is_final: z.boolean().default(false),
    channel: z.object({
      alternatives: z.array(
        z.object({
          transcript: words,
          languages: z.array(z.string()).optional(),
          words: z
            .array(z.object({ word: z.string(), punctuated_word: z.string().optional(), start: seconds, end: seconds }))
            .max(5_000)
            .default([]),
        }),
      ),
    }),
  }),
  SpeechStarted: z.object({ timestamp: seconds.default(0) }),
  UtteranceEnd: z.object({ last_word_end: seconds.default(-1) }),
  Error: z.object({
    variant: z.string().optional(),
    err_code: z.string().optional(),
    description: z.string().optional(),
    message: z.string().optional(),
    err_msg: z.string().optional(),
  }),
};

export const readDeepgramMessage = messageReader(READ);

type DeepgramMessage = NonNullable<ReturnType<typeof readDeepgramMessage>>;
type DeepgramResults = Extract<DeepgramMessage, { type: 'Results' }>;

export const deepgram = transcriberKind('deepgram', (options) =>
  isFlux(options.model) ? new FluxTranscriber(options) : new DeepgramTranscriber(options),
);
