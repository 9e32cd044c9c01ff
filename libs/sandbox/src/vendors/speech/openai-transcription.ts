import { z } from 'zod';
import type { WebSocket } from 'ws';
import type {
  ConversationItemInputAudioTranscriptionCompletedEvent as Completed,
  RealtimeTranscriptionSessionCreateRequest as Session,
} from 'openai/resources/realtime/realtime';
import type { ServerEvent } from '../../server/conversation-items.js';
import { newId } from '../../server/response-run.js';
import type { ScriptCache } from '../../server/script.js';
import type { Conversation, SocketEmulator } from '../emulator.js';
import { type HeardWord, Hearing, type HearingEvent, type HearingFormat } from './hearing.js';
import { LegConnection } from '../leg-connection.js';
import { LegFaults } from '../leg-faults.js';

const SESSION_MS = 60 * 60_000;
const MIN_COMMIT_MS = 100;
/** Without turn detection of the server, the sandbox still cuts the script's utterances at pauses. */
const PAUSE_MS = 300;
const TOKENS_PER_SECOND = 10;
const CHARACTERS_PER_TOKEN = 4;
const POLICY = 1008;

/** Transcription sessions of OpenAI's Realtime API. */
export const openAiTranscription: SocketEmulator = {
  serves: ({ pathname, searchParams }) => pathname === '/v1/realtime' && searchParams.get('intent') === 'transcription',

  open(request, _url, services) {
    if (!services.isKnown(request)) return 401;
    return (socket) => new TranscriptionConversation(socket, services.scripts);
  },
};

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).default(24_000) }),
  z.strictObject({ type: z.literal('audio/pcmu') }),
  z.strictObject({ type: z.literal('audio/pcma') }),
]);

const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    prefix_padding_ms: z.int().min(0).max(10_000).default(300),
    silence_duration_ms: z.int().min(0).max(10_000).default(500),
    threshold: z.number().min(0).max(1).default(0.5),
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto'),
  }),
]);

const transcription = z.strictObject({
  model: z.string().max(200),
  language: z.string().max(35).optional(),
  languages: z.array(z.string().max(35)).optional(),
  keywords: z.array(z.string()).optional(),
  prompt: z.string().optional(),
  delay: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});

const clientEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.update'),
    event_id: z.string().optional(),
    session: z.strictObject({
      type: z.literal('transcription'),
      include: z.array(z.string()).optional(),
      audio: z
        .strictObject({
          input: z.strictObject({
            format: format.optional(),
            noise_reduction: z.looseObject({}).nullish(),
            transcription: transcription.nullish(),
            turn_detection: turnDetection.nullish(),
          }),
        })
        .optional(),
    }),
  }),
  z.object({ type: z.literal('input_audio_buffer.append'), audio: z.string().max(4 * 1024 * 1024) }),
  z.object({ type: z.literal('input_audio_buffer.commit') }),
  z.object({ type: z.literal('input_audio_buffer.clear') }),
]);

type ClientEvent = z.output<typeof clientEvent>;
type Update = Extract<ClientEvent, { type: 'session.update' }>['session'];
type Input = NonNullable<NonNullable<Update['audio']>['input']>;

const FIRST: Input = {
  format: { type: 'audio/pcm', rate: 24_000 },
  transcription: null,
  noise_reduction: null,
  turn_detection: { type: 'server_vad', prefix_padding_ms: 300, silence_duration_ms: 500, threshold: 0.5 },
};

const FORMATS: Record<z.output<typeof format>['type'], HearingFormat> = {
  'audio/pcm': { codec: 'PCM', rate: 24_000 },
  'audio/pcmu': { codec: 'PCMU', rate: 8_000 },
  'audio/pcma': { codec: 'PCMA', rate: 8_000 },
};

/** Models without turn detection; `gpt-transcribe` takes it and needs commits as well. */
const refusesTurns = (model: string): boolean => /^gpt-(?:live-transcribe|realtime-whisper)/.test(model);
/** Models that are charged by duration. */
const isTimed = (model: string): boolean => refusesTurns(model) || model.startsWith('whisper');

/** One session of a client. */
class TranscriptionConversation implements Conversation {
  private readonly sessionId = newId('sess');
  private readonly expiresAt = Math.round((Date.now() + SESSION_MS) / 1_000);
  private input = FIRST;
  private hears: readonly string[] = [];
  private hearing: Hearing | undefined;
  private connection: LegConnection;
  private expiry: NodeJS.Timeout | undefined;
  private itemId = newId('item');
  private previousItemId: string | null = null;
  private uncommittedMs = 0;
  /** Heard since the last commit. */
  private words: HeardWord[] = [];
  /** Sent as deltas of the current item. */
  private sentWords = 0;
  private closed = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly scripts: ScriptCache,
  ) {
    this.connection = new LegConnection(socket, new LegFaults([], 1), '');
  }

  begin(): void {
    this.expiry = setTimeout(() => {
      this.refuse('session_expired', 'Your session hit the maximum duration of 60 minutes.');
      this.connection.close(POLICY);
    }, SESSION_MS);
    this.send({ type: 'session.created', session: this.view() });
  }

  receive(text: string): void {
    if (this.closed) return;
    const value = parse(text);
    if (value === undefined) return this.refuse('invalid_json', 'The message is not valid JSON.');
    const read = clientEvent.safeParse(value);
    if (!read.success) {
      const [issue] = read.error.issues;
      return this.refuse('invalid_value', issue?.message ?? 'Invalid event.', issue?.path.join('.'));
    }
    const event = read.data;
    if (event.type === 'session.update') this.update(event.session);
    else if (event.type === 'input_audio_buffer.append') this.append(Buffer.from(event.audio, 'base64'));
    else if (event.type === 'input_audio_buffer.clear') this.clear();
    else this.commitRequested();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.expiry);
    this.connection.ended();
  }

  private update({ audio }: Update): void {
    const input: Input = { ...this.input, ...audio?.input };
    const model = input.transcription?.model ?? '';
    const detection = audio?.input.turn_detection;
    if (refusesTurns(model) && detection)
      return this.refuse('invalid_value', 'Turn detection is not supported for this transcription model.');
    if (refusesTurns(model)) input.turn_detection = null;
    if (model !== (this.input.transcription?.model ?? '') && !this.openLeg(model)) return;
    this.input = input;
    const silenceMs = input.turn_detection?.type === 'server_vad' ? input.turn_detection.silence_duration_ms : PAUSE_MS;
    this.hearing = new Hearing(FORMATS[input.format!.type], this.hears, silenceMs);
    this.send({ type: 'session.updated', session: this.view() });
    this.connection.progressed(0);
  }

  /** The model names the script; its refusals come before the session is accepted. */
  private openLeg(model: string): boolean {
    const leg = this.scripts.openLeg(model, 'transcriber');
    const { refusal } = leg?.faults ?? {};
    if (leg && !refusal) {
      this.hears = leg.script.legs?.hears ?? [];
      this.connection = new LegConnection(this.socket, leg.faults, '{"type":"conversation.item');
      return true;
    }
    const [type, code, message] = refusal ? refusalOf(refusal) : MODEL_NOT_FOUND;
    this.refuse(code, message, undefined, type);
    this.closed = true;
    this.connection.close(POLICY, code);
    return false;
  }

  private append(audio: Buffer): void {
    const { hearing, input } = this;
    if (!hearing) return this.refuse('invalid_value', 'Configure the transcription before sending audio.');
    const { codec, rate } = FORMATS[input.format!.type];
    this.uncommittedMs += audio.length / (codec === 'PCM' ? 2 : 1) / (rate / 1_000);
    hearing.push(audio, (event) => {
      this.connection.progressed(hearing.audioMs);
      if (event) this.heard(event);
    });
  }

  private heard(event: HearingEvent): void {
    const detection = this.input.turn_detection;
    if (event.type === 'interim') {
      // Deltas cannot change, and the duration of unknown words does.
      if (!detection && !event.words[0]!.text.startsWith('[')) this.grow([...this.words, ...event.words]);
      return;
    }
    const { itemId: item_id } = this;
    if (event.type === 'started') {
      const audio_start_ms = Math.max(0, event.atMs - (paddingOf(detection) ?? 0));
      if (detection) this.send({ type: 'input_audio_buffer.speech_started', item_id, audio_start_ms });
      return;
    }
    this.words.push(...event.words);
    if (!detection) return;
    const audio_end_ms = this.hearing!.audioMs;
    this.send({ type: 'input_audio_buffer.speech_stopped', item_id, audio_end_ms });
    this.commit(event.spokenMs);
  }

  private clear(): void {
    this.hearing?.flush();
    this.words = [];
    this.uncommittedMs = 0;
    this.send({ type: 'input_audio_buffer.cleared' });
  }

  private commitRequested(): void {
    if (this.uncommittedMs < MIN_COMMIT_MS) {
      const has = `buffer only has ${this.uncommittedMs.toFixed(2)}ms of audio.`;
      const message = `Error committing input audio buffer: buffer too small. Expected at least ${MIN_COMMIT_MS}ms of audio, but ${has}`;
      return this.refuse('input_audio_buffer_commit_empty', message);
    }
    this.words.push(...(this.hearing?.flush() ?? []));
    this.commit(this.uncommittedMs);
  }

  private commit(ms: number): void {
    const { itemId: item_id, previousItemId: previous_item_id, words } = this;
    this.send({ type: 'input_audio_buffer.committed', item_id, previous_item_id });
    const item = {
      id: item_id,
      object: 'realtime.item' as const,
      type: 'message' as const,
      status: 'completed' as const,
      role: 'user' as const,
      // Null rather than absent: the words are unknown.
      content: [{ type: 'input_audio' as const, transcript: null as unknown as undefined }],
    };
    this.send({ type: 'conversation.item.added', item, previous_item_id });
    this.send({ type: 'conversation.item.done', item, previous_item_id });
    this.grow(words);
    const transcript = words.map(({ text }) => text).join(' ');
    this.connection.sendResult({
      event_id: newId('event'),
      type: 'conversation.item.input_audio_transcription.completed',
      item_id,
      content_index: 0,
      transcript,
      usage: usageOf(this.input.transcription?.model ?? '', ms, transcript),
    });
    this.previousItemId = item_id;
    this.itemId = newId('item');
    this.words = [];
    this.sentWords = 0;
    this.uncommittedMs = 0;
  }

  /** Sends the words that are new. */
  private grow(words: readonly HeardWord[]): void {
    for (const { text } of words.slice(this.sentWords)) {
      this.connection.sendResult({
        event_id: newId('event'),
        type: 'conversation.item.input_audio_transcription.delta',
        item_id: this.itemId,
        content_index: 0,
        delta: this.sentWords === 0 ? text : ` ${text}`,
      });
      this.sentWords++;
    }
  }

  private view() {
    const session: Session = { type: 'transcription', audio: { input: this.input as never }, include: [] };
    return { object: 'realtime.transcription_session', id: this.sessionId, expires_at: this.expiresAt, ...session };
  }

  private refuse(code: string, message: string, param?: string, type = 'invalid_request_error'): void {
    this.send({ type: 'error', error: { type, code, message, param: param ?? null, event_id: null } });
  }

  private send(event: ServerEvent): void {
    this.connection.send({ event_id: newId('event'), ...event });
  }
}

const paddingOf = (detection: Input['turn_detection']): number | undefined =>
  detection?.type === 'server_vad' ? detection.prefix_padding_ms : undefined;

function usageOf(model: string, ms: number, transcript: string): Completed['usage'] {
  if (isTimed(model)) return { type: 'duration', seconds: ms / 1_000 };
  const audio_tokens = Math.ceil((ms / 1_000) * TOKENS_PER_SECOND);
  const output_tokens = Math.ceil(transcript.length / CHARACTERS_PER_TOKEN) + 1;
  return {
    type: 'tokens',
    total_tokens: audio_tokens + output_tokens,
    input_tokens: audio_tokens,
    input_token_details: { text_tokens: 0, audio_tokens },
    output_tokens,
  };
}

const INVALID = 'invalid_request_error';
const MODEL_NOT_FOUND: [string, string, string] = [INVALID, 'model_not_found', 'The model does not exist.'];

function refusalOf({ status, retryAfterSeconds }: NonNullable<LegFaults['refusal']>): [string, string, string] {
  if (retryAfterSeconds !== undefined) {
    const message = `Rate limit reached for sessions per minute. Please try again in ${retryAfterSeconds}s.`;
    return ['requests', 'rate_limit_exceeded', message];
  }
  if (status === 401) return [INVALID, 'invalid_api_key', 'Incorrect API key provided.'];
  if (status === 400) return [INVALID, 'invalid_value', 'Invalid value.'];
  return ['server_error', 'server_error', 'The server had an error while processing your request.'];
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
