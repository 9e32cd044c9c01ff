/** A pipeline with every setting. */
export const COMPLETE = {
  transcriber: {
    provider: 'deepgram',
    model: 'nova-3',
    keywords: ['Trunkline', 'Müller & Söhne'],
    fallbacks: [{ provider: 'assemblyai', keywords: [] }, { provider: 'openai', model: 'm' }, { provider: 'sandbox' }],
  },
  model: {
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    temperature: 0.3,
    max_tokens: 500,
    reasoning_effort: 'none',
    fallbacks: [{ provider: 'openai-compatible', model: 'llama3.3:70b', temperature: 0, max_tokens: 1 }],
  },
  synthesizer: {
    provider: 'elevenlabs',
    voice: 'JBFqnCBsd6RMkjVDRZzb',
    model: 'eleven_flash_v2_5',
    speed: 1.1,
    fallbacks: [
      { provider: 'openai', voice: 'coral', instructions: 'Calm and friendly.' },
      { provider: 'program', voice: 'en-us+f3', speed: 0.5 },
    ],
  },
  turns: {
    after_punctuation_ms: 200,
    without_punctuation_ms: 600,
    longest_ms: 1_200,
    acknowledgements: ['mhm', 'all right'],
    speculation: false,
  },
  pronunciations: [
    { text: 'SQL', spoken: 'sequel' },
    { text: 'Dr.', spoken: 'Doctor' },
  ],
  languages: ['de', 'fr-CA'],
};

const many = <T>(length: number, one: (index: number) => T): T[] => Array.from({ length }, (_, index) => one(index));
const leg = (key: 'transcriber' | 'model' | 'synthesizer', options: object) => ({ pipeline: { [key]: options } });
const turns = (settings: object) => ({ pipeline: { turns: settings } });

const ONE_OF = 'must be one of sandbox, ';

/** The case, the fields of a request, the path of the wrong one, and words of its message. */
export const INVALID_PIPELINES: [what: string, fields: object, path: string, message: string][] = [
  ['an unknown transcriber', leg('transcriber', { provider: 'elevenlabs' }), 'pipeline.transcriber.provider', ONE_OF],
  ['an unknown model vendor', leg('model', { provider: 'deepgram' }), 'pipeline.model.provider', ONE_OF],
  ['an unknown synthesizer', leg('synthesizer', { provider: 'anthropic' }), 'pipeline.synthesizer.provider', ONE_OF],
  ['a leg without a vendor', leg('model', { model: 'm' }), 'pipeline.model.provider', ONE_OF],
  ['a leg that is a name', { pipeline: { model: 'gpt' } }, 'pipeline.model', 'must be a map of provider, model'],
  ['a pipeline that is a list', { pipeline: [] }, 'pipeline', 'must be a map of transcriber'],
  ['a model with a space', leg('model', { provider: 'openai', model: 'a b' }), 'pipeline.model.model', 'spaces'],
  [
    'a voice that is too long',
    leg('synthesizer', { provider: 'cartesia', voice: 'v'.repeat(201) }),
    'pipeline.synthesizer.voice',
    'must not be longer than 200 characters',
  ],
  ['a hot model', leg('model', { provider: 'openai', temperature: 2.1 }), 'pipeline.model.temperature', 'from 0 to 2'],
  [
    'an unknown effort',
    leg('model', { provider: 'openai', reasoning_effort: 'most' }),
    'pipeline.model.reasoning_effort',
    'must be one of none, minimal, low, medium, high',
  ],
  [
    'an answer without tokens',
    leg('model', { provider: 'openai', max_tokens: 0 }),
    'pipeline.model.max_tokens',
    'from 1',
  ],
  [
    'a hasty voice',
    leg('synthesizer', { provider: 'openai', speed: 3 }),
    'pipeline.synthesizer.speed',
    'from 0.5 to 2',
  ],
  [
    'four fallbacks of a leg',
    leg('transcriber', { provider: 'deepgram', fallbacks: many(4, () => ({ provider: 'sandbox' })) }),
    'pipeline.transcriber.fallbacks',
    'must not be more than 3',
  ],
  [
    'an invalid fallback of a leg',
    leg('synthesizer', { provider: 'openai', fallbacks: [{ provider: 'program', speed: 0 }] }),
    'pipeline.synthesizer.fallbacks.0.speed',
    'from 0.5 to 2',
  ],
  [
    'too many keywords',
    leg('transcriber', { provider: 'deepgram', keywords: many(101, String) }),
    'pipeline.transcriber.keywords',
    'must not be more than 100',
  ],
  [
    'a keyword of two lines',
    leg('transcriber', { provider: 'deepgram', keywords: ['a', 'b\nc'] }),
    'pipeline.transcriber.keywords.1',
    'line breaks',
  ],
  ['a turn that ends at once', turns({ after_punctuation_ms: 0 }), 'pipeline.turns.after_punctuation_ms', 'from 50'],
  ['a turn without an end', turns({ longest_ms: 20_001 }), 'pipeline.turns.longest_ms', 'to 20000'],
  [
    'a silence that is longer than the longest',
    turns({ after_punctuation_ms: 500, longest_ms: 400 }),
    'pipeline.turns.after_punctuation_ms',
    'must not be more than longest_ms (400)',
  ],
  [
    'a silence without punctuation that is longer than the longest',
    turns({ without_punctuation_ms: 500, longest_ms: 400 }),
    'pipeline.turns.without_punctuation_ms',
    'must not be more than longest_ms (400)',
  ],
  ['speculation in words', turns({ speculation: 'yes' }), 'pipeline.turns.speculation', 'must be true or false'],
  ['an empty acknowledgement', turns({ acknowledgements: [' '] }), 'pipeline.turns.acknowledgements.0', 'not be empty'],
  ['an acknowledgement twice', turns({ acknowledgements: ['a', 'a'] }), 'pipeline.turns.acknowledgements', 'twice'],
  [
    'too many pronunciations',
    { pipeline: { pronunciations: many(501, (index) => ({ text: `t${index}`, spoken: 's' })) } },
    'pipeline.pronunciations',
    'must not be more than 500',
  ],
  [
    'a word with two pronunciations',
    {
      pipeline: {
        pronunciations: [
          { text: 'SQL', spoken: 'a' },
          { text: 'SQL', spoken: 'b' },
        ],
      },
    },
    'pipeline.pronunciations.1.text',
    'used more than once',
  ],
  [
    'a pronunciation without a spoken form',
    { pipeline: { pronunciations: [{ text: 'SQL' }] } },
    'pipeline.pronunciations.0.spoken',
    'is required',
  ],
  ['a language that is none', { pipeline: { languages: ['deutsch!'] } }, 'pipeline.languages.0', 'must be a language'],
  ['a language twice', { pipeline: { languages: ['de', 'DE'] } }, 'pipeline.languages', 'twice'],
  ['a model beside the pipeline', { model: 'm' }, 'model', 'use pipeline.model.model'],
  ['a voice beside the pipeline', { voice: 'v' }, 'voice', 'use pipeline.synthesizer.voice'],
  ['transcription beside it', { transcription_model: 'm' }, 'transcription_model', 'use pipeline.transcriber.model'],
  ['turn detection beside it', { turn_detection: {} }, 'turn_detection', 'use pipeline.turns'],
  ['another provider', { provider: 'sandbox', pipeline: {} }, 'pipeline', 'only supported by the provider pipeline'],
  ['no provider', { provider: undefined, pipeline: {} }, 'pipeline', 'and the provider is sandbox'],
  [
    'a fallback of another provider',
    { fallbacks: [{ provider: 'gemini-live', pipeline: {} }] },
    'fallbacks.0.pipeline',
    'and the provider is gemini-live',
  ],
  [
    'a fallback with a voice beside its pipeline',
    { fallbacks: [{ provider: 'sandbox' }, { provider: 'pipeline', voice: 'v' }] },
    'fallbacks.1.voice',
    'use pipeline.synthesizer.voice',
  ],
  [
    'an unknown detector',
    { conversation: { voice_activity: 'ears' } },
    'conversation.voice_activity',
    'energy or neural',
  ],
  ['an unknown sound', { conversation: { tool_sound: 'rain' } }, 'conversation.tool_sound', 'off, typing or music'],
];
