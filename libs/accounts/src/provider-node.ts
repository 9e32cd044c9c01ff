import { PROVIDER_NAMES } from '@app/common';
import { z } from 'zod';
import { node, text, whole } from './workspace-words.js';

/** Each takes some seconds to be given up; nobody stays on the line for more. */
const MOST_FALLBACKS = 3;

/** The name of a model, a deployment or a voice: it goes into addresses and JSON as it is. */
const word = text(200).regex(/^[^\s\p{Cc}]+$/u, 'must not be empty or contain spaces');

/** Any provider is accepted: only the dialer knows which ones are configured. */
const provider = z.enum(PROVIDER_NAMES, `must be one of ${PROVIDER_NAMES.join(', ')}`);

const threshold = z.number('must be a number from 0 to 1').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1');

/** Replaces what was stored as a whole. */
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
    if (rest[key] !== undefined) context.addIssue({ code: 'custom', path: [key], message: `is not for ${type}` });
});

const choice = {
  model: word.nullish(),
  voice: word.nullish(),
  transcription_model: word.nullish(),
  turn_detection: turnDetection.nullish(),
};

const fallback = node({ provider, ...choice });

/** The keys of an agent that say who speaks for it. */
export const providerKeys = {
  provider: provider.optional(),
  ...choice,
  fallbacks: z
    .array(fallback, 'must be a list of providers')
    .max(MOST_FALLBACKS, `must not be more than ${MOST_FALLBACKS}`)
    .nullish(),
  /** Of a scripted agent: what it says and does, or the path of a YAML file with it. */
  script: z
    .union([text(1_000).min(1), z.record(z.string(), z.unknown())], 'must be a script or the path of one')
    .nullish(),
};

/** Those of them that are stored together, in `agents.provider_options`. */
export const OPTION_KEYS = ['model', 'voice', 'transcription_model', 'turn_detection', 'fallbacks'] as const;
