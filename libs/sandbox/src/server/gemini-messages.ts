import type { LiveServerMessage } from '@google/genai';
import { z } from 'zod';

const text = z.string().max(200_000);
/** Base64 of at most 3 MiB, well over what a client sends at a time. */
const blob = z.strictObject({ data: z.string().max(4 * 1024 * 1024), mimeType: z.string().max(100) });

const part = z.looseObject({ text: text.optional() });
const content = z.strictObject({
  role: z.enum(['user', 'model']).optional(),
  parts: z.array(part).max(1_000).optional(),
});

const TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'] as const;
const length = z.string().regex(/^\d+$/).or(z.int()).optional();

interface AcceptedSchema {
  type?: string;
  properties?: Record<string, unknown>;
}

/** The subset of OpenAPI that the service accepts; any other keyword is refused. */
const schema: z.ZodType<AcceptedSchema> = z.lazy(() =>
  z.strictObject({
    // Clients of the protocol buffers' JSON write names in either case.
    type: z
      .string()
      .transform((name) => name.toUpperCase())
      .pipe(z.enum(TYPES))
      .optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    format: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: z.array(z.string()).optional(),
    pattern: z.string().optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: length,
    maxLength: length,
    minItems: length,
    maxItems: length,
    minProperties: length,
    maxProperties: length,
    required: z.array(z.string()).optional(),
    propertyOrdering: z.array(z.string()).optional(),
    properties: z
      .record(z.string(), schema)
      .refine((all) => Object.keys(all).length > 0, 'should be non-empty for OBJECT type')
      .optional(),
    items: schema.optional(),
    anyOf: z.array(schema).optional(),
  }),
);

export const functionDeclaration = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][\w.:-]{0,127}$/),
  description: z.string().optional(),
  parameters: schema
    .refine(
      ({ type, properties }) => type !== 'OBJECT' || properties !== undefined,
      'should be non-empty for OBJECT type',
    )
    .optional(),
  parametersJsonSchema: z.unknown().optional(),
  response: z.unknown().optional(),
  responseJsonSchema: z.unknown().optional(),
  behavior: z.string().optional(),
});

const setup = z.strictObject({
  model: z.string().regex(/^(?:models|publishers|projects|tunedModels)\/\S+$/, 'must be models/NAME'),
  generationConfig: z
    .looseObject({
      responseModalities: z.tuple([z.enum(['AUDIO', 'TEXT'])]).optional(),
      speechConfig: z.looseObject({}).optional(),
    })
    .optional(),
  systemInstruction: content.optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(functionDeclaration).max(128).optional() }))
    .max(128)
    .optional(),
  realtimeInputConfig: z
    .strictObject({
      automaticActivityDetection: z
        .strictObject({
          disabled: z.boolean().optional(),
          startOfSpeechSensitivity: z.enum(['START_SENSITIVITY_HIGH', 'START_SENSITIVITY_LOW']).optional(),
          endOfSpeechSensitivity: z.enum(['END_SENSITIVITY_HIGH', 'END_SENSITIVITY_LOW']).optional(),
          prefixPaddingMs: z.int().min(0).optional(),
          silenceDurationMs: z.int().min(0).optional(),
        })
        .optional(),
      activityHandling: z.enum(['START_OF_ACTIVITY_INTERRUPTS', 'NO_INTERRUPTION']).optional(),
      turnCoverage: z.string().optional(),
    })
    .optional(),
  inputAudioTranscription: z.looseObject({}).optional(),
  outputAudioTranscription: z.looseObject({}).optional(),
  sessionResumption: z.strictObject({ handle: z.string().optional(), transparent: z.boolean().optional() }).optional(),
  contextWindowCompression: z.looseObject({}).optional(),
  proactivity: z.looseObject({}).optional(),
  historyConfig: z.strictObject({ initialHistoryInClientContent: z.boolean().optional() }).optional(),
  safetySettings: z.array(z.unknown()).optional(),
  labels: z.record(z.string(), z.string()).optional(),
});

const functionResponse = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  response: z.record(z.string(), z.unknown()),
  parts: z.array(z.unknown()).optional(),
  scheduling: z.string().optional(),
  willContinue: z.boolean().optional(),
});

const clientMessage = z.union([
  z.strictObject({ setup }),
  z.strictObject({
    clientContent: z.strictObject({
      turns: z.array(content).max(1_000).optional(),
      turnComplete: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    realtimeInput: z.strictObject({
      audio: blob.optional(),
      mediaChunks: z.array(blob).max(100).optional(),
      video: blob.optional(),
      text: text.optional(),
      audioStreamEnd: z.boolean().optional(),
      activityStart: z.strictObject({}).optional(),
      activityEnd: z.strictObject({}).optional(),
    }),
  }),
  z.strictObject({
    toolResponse: z.strictObject({ functionResponses: z.array(functionResponse).max(128).optional() }),
  }),
  z.strictObject({ contextUpdate: z.looseObject({ systemInstruction: content.optional() }) }),
]);

type GeminiClientMessage = z.output<typeof clientMessage>;
export type GeminiSetup = z.output<typeof setup>;
export type GeminiRealtimeInput = Extract<GeminiClientMessage, { realtimeInput: unknown }>['realtimeInput'];
export type GeminiClientContent = Extract<GeminiClientMessage, { clientContent: unknown }>['clientContent'];
export type GeminiToolResponse = Extract<GeminiClientMessage, { toolResponse: unknown }>['toolResponse'];
/** A message of this server, in the published types. */
export type GeminiServerMessage = Partial<Omit<LiveServerMessage, 'text' | 'data'>>;

/** The message cannot be accepted; the service closes the connection with a code and a sentence. */
export class InvalidMessage extends Error {}

/** @throws InvalidMessage */
export function readGeminiMessage(json: string): GeminiClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new InvalidMessage('Invalid JSON payload received.');
  }
  const read = clientMessage.safeParse(value);
  if (read.success) return read.data;
  const [issue] = deepest(read.error.issues);
  const at = issue?.path.join('.') ?? '';
  const what =
    issue?.code === 'unrecognized_keys' ? `Unknown name "${issue.keys[0]}": Cannot find field.` : issue?.message;
  throw new InvalidMessage(`Invalid JSON payload received at '${at}': ${what}`);
}

/** The issues of the branch of a union that matched furthest. */
function deepest(issues: z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const [issue] = issues;
  if (issue?.code !== 'invalid_union') return issues;
  const depth = (branch: z.core.$ZodIssue[]): number => Math.max(0, ...branch.map(({ path }) => path.length));
  const branches = issue.errors.map(deepest).sort((a, b) => depth(b) - depth(a));
  return branches[0] ?? issues;
}

/** All text of a content. */
export const textOf = (of: { parts?: { text?: string }[] } | undefined): string =>
  (of?.parts ?? [])
    .map((one) => one.text ?? '')
    .join('\n')
    .trim();
