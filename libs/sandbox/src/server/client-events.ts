import { z } from 'zod';
import { Refused } from './conversation-items.js';

const id = z.string().min(1).max(512);
const text = z.string().max(200_000);
/** Base64 of at most 3 MiB, well over what a client sends at a time. */
const audio = z.string().max(4 * 1024 * 1024);
const status = z.enum(['completed', 'incomplete', 'in_progress']).optional();
const object = z.literal('realtime.item').optional();

const format = z.union([
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() }),
  z.strictObject({ type: z.literal('audio/pcmu') }),
  z.strictObject({ type: z.literal('audio/pcma') }),
]);

const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    idle_timeout_ms: z.int().min(5_000).max(30_000).nullish(),
    prefix_padding_ms: z.int().min(0).max(10_000).optional(),
    silence_duration_ms: z.int().min(0).max(10_000).optional(),
    threshold: z.number().min(0).max(1).optional(),
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    create_response: z.boolean().optional(),
    interrupt_response: z.boolean().optional(),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional(),
  }),
]);

/** Text or audio, never both: they exclude each other. */
const modalities = z.tuple([z.enum(['audio', 'text'])]);

const tools = z
  .array(
    z.strictObject({
      type: z.literal('function'),
      name: z.string().regex(/^[\w-]{1,64}$/),
      description: z.string().optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .max(128);

const maxOutputTokens = z.union([z.literal('inf'), z.int().min(1).max(4096)]);
const toolChoice = z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]);

const sessionFields = z.strictObject({
  type: z.literal('realtime'),
  model: z.string().optional(),
  instructions: text.optional(),
  output_modalities: modalities.optional(),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: format.optional(),
          noise_reduction: z.looseObject({}).nullish(),
          transcription: z.looseObject({ language: z.string().optional(), model: z.string().optional() }).nullish(),
          turn_detection: turnDetection.nullish(),
        })
        .optional(),
      output: z
        .strictObject({
          format: format.optional(),
          speed: z.number().min(0.25).max(1.5).optional(),
          voice: z.union([z.string(), z.strictObject({ id: z.string() })]).optional(),
        })
        .optional(),
    })
    .optional(),
  tools: tools.optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_output_tokens: maxOutputTokens.optional(),
  include: z.array(z.string()).nullish(),
  prompt: z.looseObject({}).nullish(),
  reasoning: z.looseObject({}).nullish(),
  tracing: z.union([z.literal('auto'), z.looseObject({})]).nullish(),
  truncation: z.union([z.string(), z.looseObject({})]).optional(),
});

const message = <Role extends string, Content extends z.ZodType>(role: Role, content: Content) =>
  z.strictObject({
    type: z.literal('message'),
    role: z.literal(role),
    content: z.array(content).max(100),
    id: id.optional(),
    object,
    status,
  });

const inputText = z.strictObject({ type: z.literal('input_text'), text });

const item = z.union([
  z.discriminatedUnion('role', [
    message(
      'user',
      z.union([
        inputText,
        z.strictObject({ type: z.literal('input_audio'), audio: audio.optional(), transcript: text.nullish() }),
        z.strictObject({ type: z.literal('input_image'), image_url: audio.optional(), detail: z.string().optional() }),
      ]),
    ),
    message('system', inputText),
    message(
      'assistant',
      z.union([
        z.strictObject({ type: z.literal('output_text'), text }),
        z.strictObject({ type: z.literal('output_audio'), transcript: text.optional(), audio: audio.optional() }),
      ]),
    ),
  ]),
  z.strictObject({
    type: z.literal('function_call'),
    name: z.string(),
    arguments: text,
    call_id: id.optional(),
    id: id.optional(),
    object,
    status,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: id,
    output: text,
    id: id.optional(),
    object,
    status,
  }),
]);

const responseFields = z.strictObject({
  instructions: text.optional(),
  output_modalities: modalities.optional(),
  audio: z
    .strictObject({ output: z.strictObject({ format: format.optional(), voice: z.unknown().optional() }).optional() })
    .optional(),
  conversation: z.enum(['auto', 'none']).optional(),
  input: z.array(item).max(200).optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  tools: tools.optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_output_tokens: maxOutputTokens.optional(),
  prompt: z.looseObject({}).nullish(),
  reasoning: z.looseObject({}).nullish(),
});

const clientEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), event_id: id.optional(), session: sessionFields }),
  z.strictObject({ type: z.literal('input_audio_buffer.append'), event_id: id.optional(), audio }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit'), event_id: id.optional() }),
  z.strictObject({ type: z.literal('input_audio_buffer.clear'), event_id: id.optional() }),
  z.strictObject({
    type: z.literal('conversation.item.create'),
    event_id: id.optional(),
    previous_item_id: id.nullish(),
    item,
  }),
  z.strictObject({ type: z.literal('conversation.item.retrieve'), event_id: id.optional(), item_id: id }),
  z.strictObject({ type: z.literal('conversation.item.delete'), event_id: id.optional(), item_id: id }),
  z.strictObject({
    type: z.literal('conversation.item.truncate'),
    event_id: id.optional(),
    item_id: id,
    content_index: z.int().min(0),
    audio_end_ms: z.int().min(0),
  }),
  z.strictObject({
    type: z.literal('response.create'),
    event_id: id.optional(),
    response: responseFields.nullish(),
  }),
  z.strictObject({ type: z.literal('response.cancel'), event_id: id.optional(), response_id: id.optional() }),
]);

export type ClientEvent = z.infer<typeof clientEvent>;
export type SessionFields = z.infer<typeof sessionFields>;
export type ResponseFields = z.infer<typeof responseFields>;
export type ItemFields = z.infer<typeof item>;
export type AudioFormat = z.infer<typeof format>;
type TurnDetection = z.infer<typeof turnDetection>;

/** @throws Refused with the protocol's code and parameter. */
export function readClientEvent(value: unknown): ClientEvent {
  const read = clientEvent.safeParse(value);
  if (read.success) return read.data;
  throw refusalOf(value, read.error.issues);
}

/** The id that a client gave its event, for the error that answers it. */
export function eventIdOf(value: unknown): string | null {
  const given = typeof value === 'object' && value !== null && 'event_id' in value ? value.event_id : null;
  return typeof given === 'string' ? given.slice(0, 512) : null;
}

/** Why a client event was refused: by its deepest fault. */
export function refusalOf(value: unknown, issues: z.core.$ZodIssue[]): Refused {
  const issue = deepest(issues);
  const param = issue.path.join('.') || 'type';
  if (issue.code === 'unrecognized_keys') {
    const unknown = [...issue.path, issue.keys[0]].join('.');
    return new Refused('unknown_parameter', `Unknown parameter: '${unknown}'.`, unknown);
  }
  if (missingAt(value, issue.path)) {
    return new Refused('missing_required_parameter', `Missing required parameter: '${param}'.`, param);
  }
  return new Refused('invalid_value', `Invalid value for '${param}': ${issue.message}.`, param);
}

/** The issue of a union says only that no branch fitted; the branch that matched furthest has the reason. */
function deepest(issues: z.core.$ZodIssue[], above: PropertyKey[] = []): z.core.$ZodIssue {
  const [issue] = issues;
  if (!issue) return { code: 'custom', path: above, message: 'not an event', input: undefined };
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return { ...issue, path };
  const branches = issue.errors.filter((errors) => errors.length > 0).map((errors) => deepest(errors, path));
  return branches.sort((a, b) => b.path.length - a.path.length)[0] ?? { ...issue, path };
}

function missingAt(value: unknown, path: PropertyKey[]): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at === undefined;
}

/** The settings that a client may change, complete. */
export interface SessionConfig {
  instructions: string;
  modality: 'audio' | 'text';
  inputFormat: AudioFormat;
  outputFormat: AudioFormat;
  /** Null: the client ends the turns. */
  turns: TurnRules | null;
  /** BCP 47, from the client's transcription settings. */
  language: string | undefined;
  wantsTranscription: boolean;
  tools: string[];
}

/** The detection of the end of the user's turn, and its consequence. */
export interface TurnRules {
  silenceMs: number;
  prefixMs: number;
  createResponse: boolean;
  interruptResponse: boolean;
}

const PCM: AudioFormat = { type: 'audio/pcm', rate: 24_000 };

/** The defaults of the protocol, except `silence_duration_ms` (500 there): speech over the phone has longer pauses. */
const DEFAULT_TURN_DETECTION = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 700,
  create_response: true,
  interrupt_response: true,
} as const satisfies TurnDetection;

export const firstFields = (model: string): SessionFields => ({
  type: 'realtime',
  model,
  instructions: '',
  output_modalities: ['audio'],
  audio: {
    input: { format: PCM, transcription: null, noise_reduction: null, turn_detection: DEFAULT_TURN_DETECTION },
    output: { format: PCM, voice: 'sandbox', speed: 1 },
  },
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
  tracing: null,
  truncation: 'auto',
});

/** Absent fields keep their value; the model of a conversation never changes. */
export function merge(current: SessionFields, update: SessionFields): SessionFields {
  const audio = {
    input: { ...current.audio?.input, ...update.audio?.input },
    output: { ...current.audio?.output, ...update.audio?.output },
  };
  const { turn_detection: detection } = audio.input;
  // The session for the client, defaults included.
  if (detection?.type === 'server_vad') audio.input.turn_detection = { ...DEFAULT_TURN_DETECTION, ...detection };
  return { ...current, ...update, audio, model: current.model };
}

export function configOf({ instructions, output_modalities: modalities, audio, tools }: SessionFields): SessionConfig {
  return {
    instructions: instructions ?? '',
    modality: modalities?.[0] ?? 'audio',
    inputFormat: audio?.input?.format ?? PCM,
    outputFormat: audio?.output?.format ?? PCM,
    turns: turnRules(audio?.input?.turn_detection ?? null),
    language: audio?.input?.transcription?.language,
    wantsTranscription: audio?.input?.transcription != null,
    tools: (tools ?? []).map(({ name }) => name),
  };
}

/** `semantic_vad` needs recognised words; here it behaves as `server_vad`. */
function turnRules(detection: TurnDetection | null): TurnRules | null {
  if (!detection) return null;
  const given = { ...DEFAULT_TURN_DETECTION, ...detection };
  return {
    silenceMs: given.silence_duration_ms,
    prefixMs: given.prefix_padding_ms,
    createResponse: given.create_response,
    interruptResponse: given.interrupt_response,
  };
}
