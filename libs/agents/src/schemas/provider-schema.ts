import { MODEL_NAMES, PROVIDER_NAMES, REASONING_EFFORTS, SYNTHESIZER_NAMES, TRANSCRIBER_NAMES } from '@app/common';
import { z } from 'zod';
import { coded, flag, language, node, text, whole } from '@app/common/field-schemas';

/** Each takes some seconds to fail, and users do not wait longer. */
const MAX_FALLBACKS = 3;
const MAX_KEYWORDS = 100;
const MAX_ACKNOWLEDGEMENTS = 100;
const MAX_PRONUNCIATIONS = 500;
const MAX_LANGUAGES = 20;

/** The name of a model, a deployment or a voice, which is copied into addresses and JSON. */
export const word = text(200).regex(/^[^\s\p{Cc}]+$/u, 'must not be empty or contain spaces');

const oneOf = <Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const between = (min: number, max: number) => {
  const message = `must be a number from ${min} to ${max}`;
  return z.number(message).min(min, message).max(max, message);
};

/** Whether a provider is configured is only known to the processes that place calls. */
const provider = oneOf(PROVIDER_NAMES);

/** Replaces the stored settings as a whole. */
const turnDetection = node({
  type: z
    .enum(['server_vad', 'semantic_vad'], 'must be server_vad or semantic_vad')
    .default('server_vad')
    .describe('`server_vad` detects pauses, `semantic_vad` the end of a thought.'),
  threshold: between(0, 1).optional().describe('Only `server_vad`: loudness that counts as speech.'),
  prefix_padding_ms: whole(0, 5_000)
    .optional()
    .describe('Only `server_vad`: audio before the speech that belongs to it, in milliseconds.'),
  silence_ms: whole(100, 10_000).optional().describe('Only `server_vad`: silence that ends a turn, in milliseconds.'),
  eagerness: z
    .enum(['low', 'medium', 'high', 'auto'], 'must be low, medium, high or auto')
    .optional()
    .describe('Only `semantic_vad`: how soon the agent answers.'),
}).superRefine(({ type, ...rest }, context) => {
  const foreign =
    type === 'semantic_vad' ? (['threshold', 'prefix_padding_ms', 'silence_ms'] as const) : (['eagerness'] as const);
  for (const key of foreign)
    if (rest[key] !== undefined)
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `is not supported by ${type}`,
        params: { code: 'not_allowed' },
      });
});

/** A phrase of one line, which is sent to vendors. */
const line = (max: number) =>
  text(max)
    .trim()
    .min(1, 'must not be empty')
    .regex(/^\P{Cc}*$/u, 'must not contain line breaks or control characters');

const lines = (max: number, most: number, what: string) =>
  z
    .array(line(max), `must be a list of ${what}`)
    .max(most, `must not be more than ${most}`)
    .refine((all) => new Set(all).size === all.length, coded('duplicate', 'must not contain an entry twice'));

/** A leg of a pipeline: a vendor with its options, and the vendors that take over in their order. */
function leg<Options extends z.core.$ZodLooseShape>(options: Options, what: string) {
  const takesOver = z
    .array(node(options), 'must be a list of legs')
    .max(MAX_FALLBACKS, `must not be more than ${MAX_FALLBACKS}`)
    .optional()
    .describe(`Take over in this order when the ${what} before fails.`);
  return node({ ...options, fallbacks: takesOver }).optional();
}

const legModel = word.optional().describe('Model of the vendor. Absent: its default, if it has one.');

const transcriber = leg(
  {
    provider: oneOf(TRANSCRIBER_NAMES).describe(
      'Vendor that recognises speech. `sandbox` detects speech and recognises no words.',
    ),
    model: legModel,
    keywords: lines(100, MAX_KEYWORDS, 'words')
      .optional()
      .describe('Words that users are likely to say, such as product names.'),
  },
  'transcriber',
);

const languageModel = leg(
  {
    provider: oneOf(MODEL_NAMES).describe('Vendor of the language model. `sandbox` plays the script of the agent.'),
    model: legModel,
    temperature: between(0, 2).optional().describe('Variety of the answers.'),
    max_tokens: whole(1, 100_000).optional().describe('Maximum length of an answer in tokens.'),
    reasoning_effort: oneOf(REASONING_EFFORTS)
      .optional()
      .describe(
        'How long the model thinks before it answers. Users hear this time as silence: without it, known models think as little as they can, and others as they do by default.',
      ),
  },
  'language model',
);

const synthesizer = leg(
  {
    provider: oneOf(SYNTHESIZER_NAMES).describe(
      'Vendor that speaks. `program` is espeak-ng, flite or piper on the machine of the dialer.',
    ),
    model: legModel,
    voice: word.optional().describe('Voice of the vendor. Absent: its default, if it has one.'),
    speed: between(0.5, 2).optional().describe('Speed of the speech. 1 is natural.'),
    instructions: text(1_000)
      .trim()
      .min(1, 'must not be empty')
      .optional()
      .describe('How to speak, for voices that take instructions: those of OpenAI.'),
  },
  'synthesizer',
);

const SILENCES = ['after_punctuation_ms', 'without_punctuation_ms'] as const;

const turns = node({
  after_punctuation_ms: whole(50, 10_000)
    .optional()
    .describe('End-of-turn delay after a complete sentence, in milliseconds; 300, and at most `longest_ms`.'),
  without_punctuation_ms: whole(50, 10_000)
    .optional()
    .describe('End-of-turn delay otherwise, in milliseconds; 700, and at most `longest_ms`.'),
  longest_ms: whole(50, 20_000)
    .optional()
    .describe('Maximum end-of-turn delay, whatever the words, in milliseconds; 1500.'),
  acknowledgements: lines(50, MAX_ACKNOWLEDGEMENTS, 'words')
    .optional()
    .describe('Additional words that do not interrupt the agent, besides those of the language.'),
  speculation: flag
    .optional()
    .describe('Whether the model starts to answer before the turn has certainly ended; true.'),
})
  .superRefine(({ longest_ms: longest, ...silences }, context) => {
    for (const key of SILENCES)
      if (longest !== undefined && (silences[key] ?? 0) > longest)
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `must not be more than longest_ms (${longest})`,
          params: { code: 'out_of_range' },
        });
  })
  .optional();

const pronunciations = z
  .array(
    node({
      text: line(100).describe('Written form.'),
      spoken: line(200).describe('Spoken form.'),
    }),
    'must be a list of pronunciations',
  )
  .max(MAX_PRONUNCIATIONS, `must not be more than ${MAX_PRONUNCIATIONS}`)
  .superRefine((all, context) => {
    const texts = all.map((one) => one.text);
    for (const [index, one] of texts.entries())
      if (texts.indexOf(one) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'text'],
          message: `"${one}" is used more than once`,
          params: { code: 'duplicate' },
        });
  })
  .optional();

const languages = z
  .array(language, 'must be a list of language tags')
  .max(MAX_LANGUAGES, `must not be more than ${MAX_LANGUAGES}`)
  .refine(
    (all) => new Set(all.map((tag) => tag.toLowerCase())).size === all.length,
    coded('duplicate', 'must not contain an entry twice'),
  )
  .optional();

/** Absent legs are sandbox legs. */
const pipeline = node({
  transcriber: transcriber.describe('Speech recognition. Absent: `sandbox`.'),
  model: languageModel.describe('Language model. Absent: `sandbox`.'),
  synthesizer: synthesizer.describe('Speech synthesis. Absent: `sandbox`.'),
  turns: turns.describe('End of turns, and interruptions.'),
  pronunciations: pronunciations.describe('Spoken forms of written words, applied before the synthesis.'),
  languages: languages.describe('Languages (BCP 47) that users may speak beside that of the conversation.'),
});

const choice = {
  model: word.nullish().describe('Model of the provider. Null: the default of the installation.'),
  voice: word.nullish().describe('Voice of the provider. Null: the default of the installation or the provider.'),
  transcription_model: word.nullish().describe('Model that transcribes the speech of the user.'),
  turn_detection: turnDetection.nullish().describe('Turn detection of the provider. It replaces the stored object.'),
  pipeline: pipeline
    .nullish()
    .describe(
      'Only `pipeline`: its legs, turn-taking and pronunciations. It replaces the stored object; a change to another provider removes it.',
    ),
};

type ProviderChoice = { [Key in keyof typeof choice]?: unknown };

/** The keys of speech-to-speech providers, and where a pipeline has the same setting. */
const OF_SPEECH_TO_SPEECH = {
  model: 'pipeline.model.model',
  voice: 'pipeline.synthesizer.voice',
  transcription_model: 'pipeline.transcriber.model',
  turn_detection: 'pipeline.turns',
} as const;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The given settings that the provider does not have, with a predicate of each. */
export function foreignSettings(name: string, given: ProviderChoice): { path: string[]; problem: string }[] {
  if (name !== 'pipeline')
    return isGiven(given.pipeline)
      ? [{ path: ['pipeline'], problem: `is only supported by the provider pipeline, and the provider is ${name}` }]
      : [];
  return Object.entries(OF_SPEECH_TO_SPEECH)
    .filter(([key]) => isGiven(given[key as keyof ProviderChoice]))
    .map(([key, place]) => ({ path: [key], problem: `is not supported by the provider pipeline; use ${place}` }));
}

/** The settings of a choice that its provider has: a change of the provider removes those of the provider before. */
export function ownSettings<Choice extends ProviderChoice>(name: string, given: Choice): Choice {
  const foreign = new Set(foreignSettings(name, given).map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(given).filter(([key]) => !foreign.has(key))) as Choice;
}

const fallback = node({ provider: provider.describe('Voice provider.'), ...choice }).superRefine(
  ({ provider: name, ...given }, context) => {
    for (const { path, problem } of foreignSettings(name, given))
      context.addIssue({ code: 'custom', path, message: problem });
  },
);

/** The keys of an agent that choose its providers. */
export const providerKeys = {
  provider: provider.optional().describe('Voice provider that the agent uses; `sandbox`.'),
  ...choice,
  fallbacks: z
    .array(fallback, 'must be a list of providers')
    .max(MAX_FALLBACKS, `must not be more than ${MAX_FALLBACKS}`)
    .nullish()
    .describe('Providers that take over in this order when the previous one fails.'),
  script: z
    .union([text(1_000).min(1), z.record(z.string(), z.unknown())], 'must be a script or the path of one')
    .nullish()
    .describe(
      'Script of a `sandbox` agent, which sandbox legs of a pipeline play, too: the script, or the path of a YAML file with it.',
    ),
};

/** The keys that are stored in `agents.provider_options`. */
export const OPTION_KEYS = [
  'model',
  'voice',
  'transcription_model',
  'turn_detection',
  'pipeline',
  'fallbacks',
] as const;
