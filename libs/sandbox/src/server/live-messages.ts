import { z } from 'zod';
import { refusalOf } from './client-events.js';

const text = z.string().max(200_000);
/** Base64 of at most 3 MiB, well over what a client sends at a time. */
const audio = z.string().max(4 * 1024 * 1024);
const event_id = z.string().min(1).max(512).nullish();

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('audio/pcmu'), rate: z.literal(8_000) }),
  z.strictObject({ type: z.literal('audio/pcma'), rate: z.literal(8_000) }),
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.union([z.literal(16_000), z.literal(24_000)]) }),
]);

const tools = z
  .array(
    z.strictObject({
      type: z.literal('function'),
      name: z.string().regex(/^[\w-]{1,64}$/),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  )
  .max(128);

const backend = z.strictObject({
  model: z.string().min(1).max(200),
  instructions: text.nullish(),
  tools: tools.optional(),
});

const initialItem = z.strictObject({
  role: z.enum(['developer', 'user', 'assistant']),
  content: z.tuple([z.strictObject({ type: z.enum(['input_text', 'output_text']), text })]),
});

const session = z.strictObject({
  model: z.string().min(1).max(200),
  instructions: text.nullish(),
  audio: z
    .strictObject({
      format: format.optional(),
      output: z
        .strictObject({ voice: z.union([z.string(), z.strictObject({ id: z.string() })]).optional() })
        .optional(),
    })
    .optional(),
  delegation: z.strictObject({ type: z.literal('responses'), responses: backend }).optional(),
  input: z.array(initialItem).max(128).optional(),
  store: z.boolean().optional(),
});

const item = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function_call_output'), call_id: z.string().min(1), output: text }),
  z.looseObject({ type: z.literal('message'), role: z.enum(['user', 'system', 'developer']), content: text }),
]);

/** Set for a delegation of the client's; with a Responses backend there are none. */
const delegation_id = z.null();

/** The client events that the emulator takes; the type refuses others by name, as the service refuses unknown ones. */
const clientEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.start'), session, event_id }),
  z.strictObject({
    type: z.literal('session.update'),
    session: z.strictObject({
      delegation: z.strictObject({ type: z.literal('responses'), responses: backend.partial().optional() }).optional(),
    }),
    event_id,
  }),
  z.strictObject({ type: z.literal('session.input_audio.append'), audio, event_id }),
  z.strictObject({ type: z.literal('session.input_audio.mute'), event_id }),
  z.strictObject({ type: z.literal('session.input_audio.unmute'), event_id }),
  z.strictObject({ type: z.literal('session.instructions.append'), content: text, delegation_id, event_id }),
  z.strictObject({ type: z.literal('session.thinking.append'), content: text, delegation_id, event_id }),
  z.strictObject({ type: z.literal('session.commentary.append'), content: text, delegation_id, event_id }),
  z.strictObject({ type: z.literal('response.item.create'), item, event_id }),
  z.strictObject({ type: z.literal('response.create'), event_id }),
  z.strictObject({ type: z.literal('session.close'), event_id }),
]);

export type LiveClientEvent = z.infer<typeof clientEvent>;
export type LiveSessionFields = z.infer<typeof session>;
export type LiveBackend = z.infer<typeof backend>;
export type LiveFormat = z.infer<typeof format>;

/** @throws Refused with the code and parameter of OpenAI's protocols. */
export function readLiveEvent(value: unknown): LiveClientEvent {
  const read = clientEvent.safeParse(value);
  if (read.success) return read.data;
  throw refusalOf(value, read.error.issues);
}
