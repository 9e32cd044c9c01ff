import { encode, VoiceActivity } from '@app/telephony';
import type {
  RealtimeClientEvent,
  RealtimeTranscriptionSessionAudioInput as SessionInput,
} from 'openai/resources/realtime/realtime';
import { z } from 'zod';
import { decimator, interpolator } from '../../../speech/polyphase.js';
import { IMPLAUSIBLE_USAGE, isPlausible } from '../../../usage.js';
import { speechPadding, transcriptionUsage } from '../../openai-realtime/realtime-session.js';
import type { EventSocket } from '../../socket/event-socket.js';
import { openProviderSession } from '../../socket/open-session.js';
import { isPermanent, serverErrorOf, sessionError, shorten } from '../../socket/server-protocol.js';
import { ProviderBusy } from '../../voice-provider.js';
import type { LegAudio, Transcriber, TranscriberEvent, TranscriberStream, TranscriptionRequest } from '../ports.js';
import { SpokenItems } from './spoken-items.js';
import {
  BUSY_MS,
  bytesPerMs,
  CLOSED_BY_CLIENT,
  expectedWords,
  languagesOf,
  messageReader,
  position,
  socketUrl,
  StreamEvents,
  transcriberKind,
  type TranscriberOptions,
  words,
} from './transcription.js';

/** Silence that ends an utterance. */
const SILENCE_MS = 300;
const PREFIX_MS = 300;
/** The vendor refuses to commit less. */
const MIN_COMMIT_MS = 100;
const KEYWORDS = { most: 100, mostCharacters: 1_500 };

const APPEND = ['{"type":"input_audio_buffer.append","audio":"', '"}'] as const;
const FORMATS: Record<LegAudio['codec'], NonNullable<SessionInput['format']>> = {
  PCMU: { type: 'audio/pcmu' },
  PCMA: { type: 'audio/pcma' },
  L16: { type: 'audio/pcm', rate: 24_000 },
};

type Socket = EventSocket<RealtimeClientEvent, OpenAiMessage>;

/** OpenAI's transcription sessions over the Realtime WebSocket. */
class OpenAiTranscriber implements Transcriber {
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
    let session: object = {};
    const handshake = {
      hello: { type: 'session.update' as const, session: openAiSession(this.options, request) },
      read: readOpenAiMessage,
      verdict: (message: OpenAiMessage) => {
        if (message.type === 'error') return refusalOf(name, message.error);
        if (message.type !== 'session.updated') return undefined;
        session = message.session;
        return 'accepted' as const;
      },
    };
    const { socket, attach } = await openProviderSession<RealtimeClientEvent, OpenAiMessage>(
      { name, url: socketUrl(url, '/realtime', [['intent', 'transcription']]), key, busyMs: BUSY_MS, clock },
      handshake,
      signal,
    );
    const stream = new OpenAiStream(this.options, request.audio, socket, onEvent, speechPadding(session));
    attach(stream);
    return stream;
  }
}

/**
 * Models that send words during the speech, or need whole turns: they refuse turn detection, and the client commits each turn. Other
 * models transcribe what the server's voice activity detection cuts.
 */
const takesCommits = (model: string): boolean => /^gpt-(?:live-transcribe|transcribe|realtime-whisper)/.test(model);
/** The models that take lists of words and languages. */
const takesLists = (model: string): boolean => /^gpt-(?:live-)?transcribe/.test(model);

export function openAiSession(options: TranscriberOptions, request: TranscriptionRequest) {
  const { model } = options;
  const languages = languagesOf(request);
  const keywords = expectedWords(options, request, KEYWORDS);
  const isPrompted = keywords.length > 0 && !takesLists(model) && !model.startsWith('gpt-realtime');
  return {
    type: 'transcription' as const,
    audio: {
      input: {
        format: FORMATS[request.audio.codec],
        transcription: {
          model,
          ...(languages.length === 1 ? { language: languages[0] } : {}),
          ...(languages.length > 1 && takesLists(model) ? { languages } : {}),
          ...(keywords.length > 0 && takesLists(model) ? { keywords } : {}),
          ...(isPrompted ? { prompt: keywords.join(', ') } : {}),
        },
        turn_detection: takesCommits(model)
          ? null
          : { type: 'server_vad' as const, silence_duration_ms: SILENCE_MS, prefix_padding_ms: PREFIX_MS },
      },
    },
  };
}

class OpenAiStream implements TranscriberStream {
  private readonly events: StreamEvents;
  private readonly items: SpokenItems;
  /** Present when the client cuts the turns. */
  private readonly voice: VoiceActivity | undefined;
  private readonly widen = widened();
  private sentMs = 0;
  private committedMs = 0;
  private isSpeaking = false;

  constructor(
    private readonly options: TranscriberOptions,
    private readonly audio: LegAudio,
    private readonly socket: Socket,
    onEvent: (event: TranscriberEvent) => void,
    private readonly padding: { beforeMs: number; afterMs: number },
  ) {
    // The vendor reports the usage of each finished transcription. It cannot be asked for the rest at the end.
    this.events = new StreamEvents(onEvent, () => []);
    this.items = new SpokenItems(options.clock, (event) => this.events.emit(event));
    const codec = audio.codec === 'PCMA' ? 'PCMA' : 'PCMU';
    this.voice = takesCommits(options.model) ? new VoiceActivity(codec, { stopMs: SILENCE_MS }) : undefined;
  }

  send(frame: Buffer): void {
    if (!this.events.isOpen) return;
    const isWide = this.audio.codec === 'L16';
    this.socket.sendAudio(APPEND, isWide ? this.widen(frame) : frame);
    this.sentMs += frame.length / bytesPerMs(this.audio);
    const event = this.voice?.push(isWide ? asMuLaw(frame) : frame);
    if (event?.type === 'speech-stop') this.commit(event.atMs);
    // Otherwise the server heard it first.
    else if (event && !this.isSpeaking) this.began(event.atMs);
  }

  flush(): void {
    const isShort = this.sentMs - this.committedMs < MIN_COMMIT_MS;
    if (!this.events.isOpen || !this.isSpeaking || isShort) return;
    this.commit(this.sentMs);
    // The user may go on without a pause.
    if (this.voice?.speaking) this.speaking(this.sentMs);
  }

  close(): void {
    this.finish(CLOSED_BY_CLIENT);
  }

  take(message: OpenAiMessage): void {
    const { beforeMs, afterMs } = this.padding;
    switch (message.type) {
      case 'input_audio_buffer.speech_started': {
        const startMs = message.audio_start_ms;
        return this.began(startMs > 0 ? startMs + beforeMs : 0, message.item_id);
      }
      case 'input_audio_buffer.speech_stopped':
        this.isSpeaking = false;
        return this.items.ended(Math.max(0, message.audio_end_ms - afterMs), message.item_id);
      case 'input_audio_buffer.committed':
        return this.items.committed(message.item_id, this.sentMs);
      case 'conversation.item.input_audio_transcription.delta':
        // The server hears quieter speech than the voice activity detection here; `flush` ends it.
        if (!this.items.has(message.item_id)) this.began(this.sentMs, message.item_id);
        return this.items.grown(message.item_id, message.delta, this.sentMs);
      case 'conversation.item.input_audio_transcription.completed':
        this.charge(message.usage);
        return this.items.completed(message.item_id, message.transcript, message.languages?.[0]?.code);
      case 'conversation.item.input_audio_transcription.failed':
        this.report(serverErrorOf(message.error), 'transcription_failed', true);
        return this.items.completed(message.item_id, '');
      case 'error':
        return this.failed(message.error);
      default:
        return;
    }
  }

  end(reason: string): void {
    this.finish(reason);
  }

  private began(atMs: number, itemId?: string): void {
    this.speaking(atMs, itemId);
    this.events.emit({ type: 'speech_started', atMs: Math.round(atMs) });
  }

  private speaking(fromMs: number, itemId?: string): void {
    this.isSpeaking = true;
    this.items.began(Math.round(fromMs), itemId);
  }

  private commit(endMs: number): void {
    if (!this.isSpeaking) return;
    this.isSpeaking = false;
    this.committedMs = this.sentMs;
    if (this.voice) this.items.ended(Math.round(endMs));
    this.socket.send({ type: 'input_audio_buffer.commit' });
  }

  private charge(reported: unknown): void {
    if (reported === undefined) return;
    const usage = usageSchema.safeParse(reported).data;
    const items = usage ? transcriptionUsage(usage, this.options.name) : [];
    const believed = items.filter(isPlausible);
    if (believed.length > 0) this.events.emit({ type: 'usage', items: believed });
    if (!usage || believed.length < items.length) this.events.emit(IMPLAUSIBLE_USAGE);
  }

  private failed(error: unknown): void {
    const fault = serverErrorOf(error);
    // The server's detection was faster than `flush`.
    if (fault.code === 'input_audio_buffer_commit_empty') return;
    if (isPermanent(fault)) this.finish(shorten(fault.message ?? fault.code ?? 'error'), true);
    else this.report(fault, 'openai_error');
  }

  private report(
    { code, type, message = 'No reason was given.' }: ReturnType<typeof serverErrorOf>,
    other: string,
    losesSpeech = false,
  ): void {
    // The server means noise: another attempt would hear the same.
    const losesWords = losesSpeech && code !== 'audio_unintelligible';
    const error = { type: 'error' as const, code: code ?? type ?? other, message: shorten(message) };
    this.events.emit(losesWords ? { ...error, losesWords } : error);
  }

  private finish(reason: string, final = false): void {
    this.items.stop();
    this.socket.close();
    this.events.end(reason, final);
  }
}

/** PCM at 16 kHz as G.711 at 8 kHz, which is enough for voice activity. */
function asMuLaw(pcm: Buffer): Buffer {
  const samples = new Int16Array(pcm.length >> 2);
  for (let i = 0; i < samples.length; i++) samples[i] = (pcm.readInt16LE(i * 4) + pcm.readInt16LE(i * 4 + 2)) / 2;
  return encode('PCMU', samples);
}

/** PCM at 16 kHz as PCM at 24 kHz, piece by piece. */
function widened(): (pcm: Buffer) => Buffer {
  const up = interpolator(3);
  const down = decimator(2);
  return (pcm) => {
    // A copy: 16-bit samples need an even position.
    const samples = new Int16Array(new Uint8Array(pcm).buffer, 0, pcm.length >> 1);
    const wide = down.push(up.push(samples));
    return Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength);
  };
}

/** Sessions are limited per minute, and the sentence names the wait. */
function refusalOf(name: string, error: unknown): Error {
  const { code, type, message = '' } = serverErrorOf(error);
  if (!/rate_limit|too_many|concurren/.test(`${code} ${type}`)) return sessionError(name, error);
  const waitSeconds = /try again in (\d{1,4}(?:\.\d+)?) ?s/.exec(message)?.[1];
  const sentence = `The server of ${name} asked for a later retry: ${shorten(message)}`;
  return new ProviderBusy(sentence, waitSeconds === undefined ? BUSY_MS : Number(waitSeconds) * 1000);
}

const count = z.number().min(0);

/** Tokens or seconds, as the model is priced. */
const usageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tokens'),
    input_tokens: count,
    output_tokens: count.default(0),
    total_tokens: count.default(0),
    input_token_details: z.object({ audio_tokens: count.optional(), text_tokens: count.optional() }).optional(),
  }),
  z.object({ type: z.literal('duration'), seconds: count }),
]);

const id = z.string().min(1).max(512);

const READ = {
  'session.updated': z.object({ session: z.looseObject({}) }),
  'input_audio_buffer.speech_started': z.object({ item_id: id, audio_start_ms: position }),
  'input_audio_buffer.speech_stopped': z.object({ item_id: id, audio_end_ms: position }),
  'input_audio_buffer.committed': z.object({ item_id: id }),
  'conversation.item.input_audio_transcription.delta': z.object({ item_id: id, delta: words.default('') }),
  'conversation.item.input_audio_transcription.completed': z.object({
    item_id: id,
    transcript: words,
    usage: z.unknown().optional(),
    languages: z.array(z.object({ code: z.string().optional() })).optional(),
  }),
  'conversation.item.input_audio_transcription.failed': z.object({ item_id: id, error: z.looseObject({}) }),
  error: z.object({ error: z.looseObject({}) }),
};

export const readOpenAiMessage = messageReader(READ);

type OpenAiMessage = NonNullable<ReturnType<typeof readOpenAiMessage>>;

export const openAiTranscriber = (options: TranscriberOptions): Transcriber => new OpenAiTranscriber(options);

export const openAi = transcriberKind('openai', openAiTranscriber);
