import { allowList } from '@app/common';
import { validateWebhookHeaders, validateWebhookUrl } from '@app/webhooks';
import { z } from 'zod';
import { e164, flag, list, name, node, report, text, whole } from './schema-types.js';

/** Voice providers of agents. Whether a provider is configured is only known to the processes that place calls. */
const PROVIDERS = ['sandbox', 'openai-realtime', 'openai-live', 'gemini-live'] as const;
/** Each takes some seconds to fail, and users do not wait longer. */
const MOST_FALLBACKS = 3;

/** The name of a model, a deployment or a voice, which is copied into addresses and JSON. */
const word = text(200).regex(/^[^\s\p{Cc}]+$/u, 'must not be empty or contain spaces');

const provider = z.enum(PROVIDERS, `must be one of ${PROVIDERS.join(', ')}`);

const threshold = z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');

/** Replaces the stored settings as a whole. */
const turnDetection = node({
  type: z.enum(['server_vad', 'semantic_vad'], 'must be server_vad or semantic_vad').default('server_vad'),
  threshold: threshold.optional(),
  prefix_padding_ms: whole(0, 5_000).optional(),
  silence_ms: whole(100, 10_000).optional(),
  eagerness: z.enum(['low', 'medium', 'high', 'auto'], 'must be low, medium, high or auto').optional(),
}).superRefine(({ type, ...rest }, context) => {
  const foreign =
    type === 'semantic_vad' ? (['threshold', 'prefix_padding_ms', 'silence_ms'] as const) : (['eagerness'] as const);
  for (const key of foreign)
    if (rest[key] !== undefined)
      context.addIssue({ code: 'custom', path: [key], message: `is not supported by ${type}` });
});

const choice = {
  model: word.nullish(),
  voice: word.nullish(),
  transcription_model: word.nullish(),
  turn_detection: turnDetection.nullish(),
};

const fallback = node({ provider, ...choice });

/** The keys of an agent that choose its providers. */
const providerKeys = {
  provider: provider.optional(),
  ...choice,
  fallbacks: z
    .array(fallback, 'must be a list of providers')
    .max(MOST_FALLBACKS, `must not be more than ${MOST_FALLBACKS}`)
    .nullish(),
  /** Of a scripted agent: its script, or the path of a YAML file with it. */
  script: z
    .union([text(1_000).min(1), z.record(z.string(), z.unknown())], 'must be a script or the path of one')
    .nullish(),
};

/** The keys that are stored in `agents.provider_options`. */
export const OPTION_KEYS = ['model', 'voice', 'transcription_model', 'turn_detection', 'fallbacks'] as const;

const phrase = text(500).trim().min(1, 'must not be empty').optional();

const language = text(35).refine(isLanguage, 'must be a language tag such as "en" or "de-DE"');

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Conversation settings. Replaces the stored ones as a whole; absent ones have their defaults. */
const conversation = node({
  idle: node({ after_seconds: whole(2, 600).optional(), prompts: whole(0, 10).optional() }).optional(),
  barge_in: node({
    duck_ms: whole(20, 5_000).optional(),
    interrupt_ms: whole(40, 5_000).optional(),
    guard_ms: whole(0, 30_000).optional(),
  }).optional(),
  phrases: node({ filler: phrase, moment: phrase, idle: phrase, goodbye: phrase, apology: phrase }).optional(),
  language: language.optional(),
}).nullish();

/** The process that sends a webhook decides which addresses are allowed. */
const ANYWHERE = { httpsOnly: false, allow: allowList(['0.0.0.0/0', '::/0']) };

const header = node({ key: text(128), value: text(2048) });

const webhook = (methods: [string, ...string[]]) =>
  node({
    url: text(2048).superRefine((value, context) => report(context, validateWebhookUrl(value, ANYWHERE))),
    method: z.enum(methods, `must be one of ${methods.join(', ')}`).default('POST'),
    headers: list(header).superRefine((value, context) => report(context, validateWebhookHeaders(value))),
  }).nullable();

const transfer = node({
  enabled: flag.optional(),
  phone_number: e164.nullish(),
  caller_id_number: name.nullish(),
});

/** Replaces the stored settings as a whole: its keys depend on each other. */
const answeringMachine = node({
  detect: flag.default(true),
  on_machine: z
    .enum(['hang_up', 'leave_message', 'go_on'], 'must be one of hang_up, leave_message, go_on')
    .default('hang_up'),
  message: text(2_000).trim().default(''),
  wait_for_beep_seconds: whole(1, 120).default(30),
})
  .refine(({ on_machine, message }) => on_machine !== 'leave_message' || message !== '', {
    path: ['message'],
    error: 'must not be empty when on_machine is leave_message',
  })
  .nullish();

export const agent = node({
  name,
  ...providerKeys,
  instructions: text(100_000).optional(),
  greeting: text(2_000).optional(),
  active: flag.optional(),
  max_call_seconds: whole(1, 14_400).optional(),
  ring_timeout_seconds: whole(1, 600).optional(),
  post_call_webhook: webhook(['POST', 'GET', 'PUT', 'PATCH']).optional(),
  call_status_webhook: webhook(['POST', 'PUT', 'PATCH']).optional(),
  call_transfer: transfer.optional(),
  answering_machine: answeringMachine,
  conversation,
});

export type AgentNode = z.output<typeof agent>;
export type WebhookNode = NonNullable<z.output<ReturnType<typeof webhook>>>;
