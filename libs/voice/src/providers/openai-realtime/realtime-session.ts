import type {
  ConversationItem,
  ConversationItemInputAudioTranscriptionCompletedEvent,
  RealtimeAudioConfig,
  RealtimeAudioFormats,
  RealtimeAudioInputTurnDetection,
  RealtimeClientEvent,
  RealtimeResponseUsage,
  RealtimeServerEvent,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import { FRAME_MS, type LineCodec, pcmBytes, pcmSamples } from '@app/telephony';
import type { Clock } from '../../clock.js';
import { resampler } from '../../speech/polyphase.js';
import type { UsageItem, UsageKind } from '../../usage.js';
import type { ProviderOptions, TurnDetection } from '../provider-settings.js';
import type { EventSocket } from '../socket/event-socket.js';
import { eventReader, type FieldsOf } from '../socket/server-protocol.js';
import type { AudioPatience, ConnectRequest, HistoryTurn } from '../voice-provider.js';

export type RealtimeSocket = EventSocket<RealtimeClientEvent, RealtimeServerEvent>;

export interface RealtimeProviderOptions extends Omit<ProviderOptions, 'script'> {
  /** The name in agents, logs and bills. */
  name: string;
  /** `wss://…/v1/realtime`; `ws://` within a private network. The model is added to its query. */
  url: string;
  /** Absent: the server requires none. */
  key?: string;
  model: string;
  /** The server charges by reported tokens, or by connected time. */
  billing: 'tokens' | 'seconds';
  /** Audio of wideband calls is PCM at 24 kHz; absent: G.711. */
  wideband?: true;
  clock: Clock;
}

/** Only the fields that differ between calls; the rest are server defaults. */
export function sessionConfig(request: ConnectRequest, options: ProviderOptions): RealtimeSessionCreateRequest {
  const { agent, modality, tools } = request;
  return {
    type: 'realtime',
    output_modalities: [modality],
    ...(agent.instructions ? { instructions: agent.instructions } : {}),
    tools: tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters })),
    tool_choice: 'auto',
    // Without audio there are no turns to detect.
    audio: modality === 'text' ? { input: { turn_detection: null } } : audioConfig(request, options),
  };
}

const LINE_RATE = 16_000;
/** L16 is resampled: the protocol has one rate of PCM. */
const PCM_RATE = 24_000;

export const FORMATS = {
  PCMU: { type: 'audio/pcmu' },
  PCMA: { type: 'audio/pcma' },
  L16: { type: 'audio/pcm', rate: PCM_RATE },
} as const satisfies Record<LineCodec, RealtimeAudioFormats>;

/** The audio of one connection between the format of the call and that of the protocol. */
export interface RealtimeAudio {
  outgoing(frame: Buffer): Buffer;
  incoming(audio: Buffer): Buffer;
  /** Another response begins. */
  restart(): void;
}

export const realtimeAudio = (codec: LineCodec): RealtimeAudio =>
  codec === 'L16'
    ? new PcmAudio()
    : { outgoing: (frame) => frame, incoming: (audio) => audio, restart: () => undefined };

const NOTHING = Buffer.alloc(0);

class PcmAudio implements RealtimeAudio {
  private readonly toServer = resampler(LINE_RATE, PCM_RATE);
  private fromServer = resampler(PCM_RATE, LINE_RATE);
  /** Half a sample at the end of a piece. */
  private rest = Buffer.alloc(0);

  outgoing(frame: Buffer): Buffer {
    return pcmBytes(this.toServer.push(pcmSamples(frame)));
  }

  incoming(audio: Buffer): Buffer {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, audio]) : audio;
    // An empty buffer of its own costs as much as the resampling.
    this.rest = bytes.length % 2 === 0 ? NOTHING : Buffer.from(bytes.subarray(-1));
    return pcmBytes(this.fromServer.push(pcmSamples(bytes)));
  }

  restart(): void {
    this.fromServer = resampler(PCM_RATE, LINE_RATE);
    this.rest = Buffer.alloc(0);
  }
}

/** Frames of the longest wait, and the one after it. */
const MAX_BATCHED = 10;

/** Joins frames that may wait for the next ones: a message of its own costs more than the rest of the frame. */
export class AudioBatch {
  /** The waiting frames, copied: kept until the next garbage collections, each of them would be moved. */
  private bytes = Buffer.alloc(0);
  private frames = 0;
  private used = 0;

  /** The audio to be sent now, with all that waited for it, valid until the next call; undefined: it waits. */
  add(audio: Buffer, mayWait: AudioPatience): Buffer | undefined {
    const waits = this.frames * FRAME_MS < mayWait;
    if (!waits && this.frames === 0) return audio;
    this.append(audio);
    if (waits) return undefined;
    const joined = this.bytes.subarray(0, this.used);
    this.frames = this.used = 0;
    return joined;
  }

  private append(audio: Buffer): void {
    const end = this.used + audio.length;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, MAX_BATCHED * audio.length));
      larger.set(this.bytes.subarray(0, this.used));
      this.bytes = larger;
    }
    this.bytes.set(audio, this.used);
    this.used = end;
    this.frames++;
  }
}

function audioConfig({ agent, codec }: ConnectRequest, options: ProviderOptions): RealtimeAudioConfig {
  const { voice, transcriptionModel, turnDetection = { type: 'server_vad' } } = options;
  const format = FORMATS[codec];
  const language = agent.language?.split('-')[0]?.toLowerCase();
  const transcription = transcriptionModel && { model: transcriptionModel, ...(language ? { language } : {}) };
  return {
    input: { format, turn_detection: detection(turnDetection), ...(transcription ? { transcription } : {}) },
    output: { format, ...(voice ? { voice } : {}) },
  };
}

/**
 * The server answers speech without a request. It never stops its speech: only the session knows the played part, and when the agent
 * must not be interrupted (its first words, a goodbye).
 */
function detection(chosen: TurnDetection): RealtimeAudioInputTurnDetection {
  const answers = { create_response: true, interrupt_response: false };
  if (chosen.type === 'semantic_vad') {
    const { type, eagerness } = chosen;
    return { type, ...(eagerness ? { eagerness } : {}), ...answers };
  }
  const { type, threshold, prefixPaddingMs, silenceMs } = chosen;
  return {
    type,
    ...(threshold === undefined ? {} : { threshold }),
    ...(prefixPaddingMs === undefined ? {} : { prefix_padding_ms: prefixPaddingMs }),
    ...(silenceMs === undefined ? {} : { silence_duration_ms: silenceMs }),
    ...answers,
  };
}

/** The silence around speech that a server includes in its positions. */
export interface SpeechPadding {
  beforeMs: number;
  afterMs: number;
}

/**
 * Speech positions include the prefix padding and the silence that ended the speech. The accepted session has both durations;
 * without them the positions are used unchanged.
 */
export function speechPadding(session: object): SpeechPadding {
  const { audio } = session as { audio?: { input?: { turn_detection?: Record<string, unknown> | null } } };
  const { prefix_padding_ms: beforeMs, silence_duration_ms: afterMs } = audio?.input?.turn_detection ?? {};
  return { beforeMs: lengthOf(beforeMs), afterMs: lengthOf(afterMs) };
}

const lengthOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

/** Turns sent to a new connection; older ones matter little, and the server reads all of them at once. */
const MAX_HISTORY = 200;

export const userMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

export const systemMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'system',
  content: [{ type: 'input_text', text }],
});

const agentMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});

export const toolOutput = (callId: string, output: string): ConversationItem => ({
  type: 'function_call_output',
  call_id: callId,
  output,
});

const MESSAGES = { agent: agentMessage, user: userMessage, system: systemMessage };

/** The conversation so far as text: audio cannot be moved to another connection. */
export const historyItems = (history: readonly HistoryTurn[]): ConversationItem[] =>
  history
    .filter(({ text }) => text !== '')
    .slice(-MAX_HISTORY)
    .map(({ role, text }) => MESSAGES[role](text));

const DELTA = { response_id: 'string', item_id: 'string', delta: 'string' } as const;

/** The required fields of the events that are used. */
const FIELDS: FieldsOf<RealtimeServerEvent> = {
  error: { error: 'object', 'error.event_id': 'string?' },
  'session.created': { session: 'object' },
  'session.updated': { session: 'object' },
  'response.created': { response: 'object', 'response.id': 'string?' },
  'response.done': { response: 'object', 'response.id': 'string?' },
  'response.output_audio.delta': DELTA,
  'response.output_audio_transcript.delta': DELTA,
  'response.output_text.delta': DELTA,
  'response.output_item.done': {
    response_id: 'string',
    item: 'object',
    'item.call_id': 'string?',
    'item.name': 'string?',
  },
  'input_audio_buffer.speech_started': { item_id: 'string', audio_start_ms: 'number' },
  'input_audio_buffer.speech_stopped': { item_id: 'string', audio_end_ms: 'number' },
  'conversation.item.input_audio_transcription.delta': { item_id: 'string', delta: 'string?' },
  'conversation.item.input_audio_transcription.completed': { item_id: 'string', transcript: 'string' },
  'conversation.item.input_audio_transcription.failed': { item_id: 'string', error: 'object' },
};

/** Parses a server event, of unknown types as well. Undefined: a violation of the protocol. */
export const readServerEvent = eventReader<RealtimeServerEvent>(FIELDS);

type TranscriptionUsage = ConversationItemInputAudioTranscriptionCompletedEvent['usage'];

/**
 * The usage of a response. Cached tokens are part of the reported input and are listed separately; totals without details count as
 * tokens of `modality`.
 */
export function responseUsage(usage: RealtimeResponseUsage, source: string, modality: 'audio' | 'text'): UsageItem[] {
  const input = usage.input_token_details ?? whole(usage.input_tokens, modality);
  const output = usage.output_token_details ?? whole(usage.output_tokens, modality);
  const { text_tokens: text = 0, audio_tokens: audio = 0, cached_tokens: cached = 0 } = input;
  const {
    text_tokens: cachedText = Math.min(text, cached),
    audio_tokens: cachedAudio = Math.min(audio, cached - cachedText),
  } = input.cached_tokens_details ?? {};
  return tokens(source, {
    input_text_tokens: text - cachedText,
    input_audio_tokens: audio - cachedAudio,
    cached_text_tokens: cachedText,
    cached_audio_tokens: cachedAudio,
    output_text_tokens: output.text_tokens ?? 0,
    output_audio_tokens: output.audio_tokens ?? 0,
  });
}

/** The usage of one transcription: tokens or seconds, as the model is priced. */
export function transcriptionUsage(usage: TranscriptionUsage, source: string): UsageItem[] {
  if (usage.type === 'duration') {
    const quantity = Math.round(usage.seconds * 1000) / 1000;
    return quantity > 0 ? [{ kind: 'transcription_seconds', quantity, unit: 'second', source }] : [];
  }
  const { audio_tokens: audio = usage.input_tokens, text_tokens: text = 0 } = usage.input_token_details ?? {};
  return tokens(source, {
    transcription_text_tokens: text,
    transcription_audio_tokens: audio,
    transcription_output_tokens: usage.output_tokens,
  });
}

const whole = (tokens: number | undefined, modality: 'audio' | 'text') =>
  (modality === 'audio' ? { audio_tokens: tokens } : { text_tokens: tokens }) as {
    text_tokens?: number;
    audio_tokens?: number;
    cached_tokens?: number;
    cached_tokens_details?: { text_tokens?: number; audio_tokens?: number };
  };

const tokens = (source: string, counts: Partial<Record<UsageKind, number>>): UsageItem[] =>
  (Object.entries(counts) as [UsageKind, number][])
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({ kind, quantity: count / 1000, unit: 'thousand_tokens', source }));
