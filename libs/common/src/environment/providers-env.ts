import { z } from 'zod';

/** The voice providers that an agent can name; the registry of `@app/voice` holds how each is opened. */
export const PROVIDER_NAMES = ['sandbox', 'openai-realtime', 'openai-live', 'gemini-live', 'pipeline'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The legs of the provider `pipeline` that an agent can name. `program`: espeak-ng, flite or piper on this machine. */
export const TRANSCRIBER_NAMES = ['sandbox', 'deepgram', 'assemblyai', 'openai'] as const;
export const MODEL_NAMES = ['sandbox', 'openai', 'openai-compatible', 'anthropic', 'google'] as const;
export const SYNTHESIZER_NAMES = ['sandbox', 'elevenlabs', 'cartesia', 'deepgram', 'openai', 'program'] as const;
export type TranscriberName = (typeof TRANSCRIBER_NAMES)[number];
export type ModelName = (typeof MODEL_NAMES)[number];
/** How long a language model thinks before it answers. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export type SynthesizerName = (typeof SYNTHESIZER_NAMES)[number];

/** Examples for the error messages of invalid variables. */
export const PROVIDERS_EXAMPLES: Record<string, string> = {
  REALTIME_URL: 'wss://NAME.openai.azure.com/openai/v1/realtime',
  REALTIME_API_KEY: 'the key of that server',
  REALTIME_MODEL: 'gpt-realtime-2.1',
  REALTIME_VOICE: 'marin',
  REALTIME_TRANSCRIPTION_MODEL: 'gpt-realtime-whisper',
  LIVE_URL: 'wss://api.openai.com/v1/live/sessions',
  LIVE_MODEL: 'gpt-live-1',
  LIVE_BACKEND_MODEL: 'the name of a model of the Responses API',
  GEMINI_BASE_URL: 'wss://generativelanguage.googleapis.com',
  GEMINI_API_KEY: 'a key of Google AI Studio',
  GEMINI_MODEL: 'gemini-3.8-live',
  GEMINI_VOICE: 'Kore',
  DEEPGRAM_URL: 'https://api.deepgram.com',
  DEEPGRAM_API_KEY: 'a key of Deepgram',
  ASSEMBLYAI_URL: 'https://streaming.assemblyai.com',
  ASSEMBLYAI_API_KEY: 'a key of AssemblyAI',
  OPENAI_URL: 'https://api.openai.com/v1',
  ANTHROPIC_URL: 'https://api.anthropic.com/v1',
  ANTHROPIC_API_KEY: 'a key of Anthropic',
  GOOGLE_URL: 'https://generativelanguage.googleapis.com/v1beta',
  COMPATIBLE_URL: 'http://ollama:11434/v1',
  COMPATIBLE_API_KEY: 'the key of that endpoint',
  ELEVENLABS_URL: 'https://api.elevenlabs.io',
  ELEVENLABS_API_KEY: 'a key of ElevenLabs',
  CARTESIA_URL: 'https://api.cartesia.ai',
  CARTESIA_API_KEY: 'a key of Cartesia',
  PIPER_MODEL: '/var/lib/trunkline/voices/en_US-lessac-medium.onnx',
};

/** A vendor's server; `sandbox`: the sandbox server plays it, without a key. */
const vendorUrl = z
  .literal('sandbox')
  .or(z.url().regex(/^https?:\/\//, 'must start with https:// or http://'))
  .optional();

/** The vendors of pipeline legs. Absent URLs are the vendors' own; a vendor without a key and without a URL is not configured. */
const legVariables = {
  DEEPGRAM_URL: vendorUrl,
  DEEPGRAM_API_KEY: z.string().optional(),
  ASSEMBLYAI_URL: vendorUrl,
  ASSEMBLYAI_API_KEY: z.string().optional(),
  /** For transcription, text models and synthesis; the key is OPENAI_API_KEY. */
  OPENAI_URL: vendorUrl,
  ANTHROPIC_URL: vendorUrl,
  ANTHROPIC_API_KEY: z.string().optional(),
  /** Text models of Google; the key is GEMINI_API_KEY. */
  GOOGLE_URL: vendorUrl,
  /** A server with OpenAI's chat completions, such as Azure, Groq, Ollama or vLLM. */
  COMPATIBLE_URL: vendorUrl,
  COMPATIBLE_API_KEY: z.string().optional(),
  ELEVENLABS_URL: vendorUrl,
  ELEVENLABS_API_KEY: z.string().optional(),
  CARTESIA_URL: vendorUrl,
  CARTESIA_API_KEY: z.string().optional(),
  /** A voice of the program piper, with its `.json` beside it; absent: piper is not used. */
  PIPER_MODEL: z.string().optional(),
};

/** The servers that voice agents speak through. */
export const providersVariables = z.object({
  /** A server that speaks OpenAI's Realtime protocol (GA). Absent: OpenAI's own, when there is a key. */
  REALTIME_URL: z
    .url()
    .regex(/^wss?:\/\//, 'must start with wss:// or ws://')
    .optional(),
  /** Absent: OPENAI_API_KEY. */
  REALTIME_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  /** Default of agents that name none. */
  REALTIME_MODEL: z.string().optional(),
  REALTIME_VOICE: z.string().optional(),
  /** Transcribes the user's speech; absent: the transcript has no text of the user. */
  REALTIME_TRANSCRIPTION_MODEL: z.string().optional(),
  /** A server of OpenAI's Live sessions; absent: OpenAI's own. The key is OPENAI_API_KEY. */
  LIVE_URL: z
    .url()
    .regex(/^wss?:\/\//, 'must start with wss:// or ws://')
    .optional(),
  /** Default of agents that name none. */
  LIVE_MODEL: z.string().optional(),
  LIVE_VOICE: z.string().optional(),
  /** The model behind the speaking live model; it calls the tools. */
  LIVE_BACKEND_MODEL: z.string().optional(),
  /** A server that speaks the Live protocol of Gemini; absent: Google's own, when there is a key. `sandbox`: the sandbox server plays it. */
  GEMINI_BASE_URL: z
    .literal('sandbox')
    .or(z.url().regex(/^(?:wss?|https?):\/\//, 'must start with wss://, ws://, https:// or http://'))
    .optional(),
  GEMINI_API_KEY: z.string().optional(),
  /** Default of agents that name none. */
  GEMINI_MODEL: z.string().optional(),
  GEMINI_VOICE: z.string().optional(),
  ...legVariables,
});

export type ProvidersEnv = z.output<typeof providersVariables>;

export const PROVIDER_VARIABLES = Object.keys(providersVariables.shape) as (keyof ProvidersEnv)[];

/** The variables of each vendor of pipeline legs. */
export const VENDOR_VARIABLES = {
  deepgram: { url: 'DEEPGRAM_URL', key: 'DEEPGRAM_API_KEY' },
  assemblyai: { url: 'ASSEMBLYAI_URL', key: 'ASSEMBLYAI_API_KEY' },
  openai: { url: 'OPENAI_URL', key: 'OPENAI_API_KEY' },
  anthropic: { url: 'ANTHROPIC_URL', key: 'ANTHROPIC_API_KEY' },
  google: { url: 'GOOGLE_URL', key: 'GEMINI_API_KEY' },
  compatible: { url: 'COMPATIBLE_URL', key: 'COMPATIBLE_API_KEY' },
  elevenlabs: { url: 'ELEVENLABS_URL', key: 'ELEVENLABS_API_KEY' },
  cartesia: { url: 'CARTESIA_URL', key: 'CARTESIA_API_KEY' },
} as const satisfies Record<string, { url: keyof ProvidersEnv; key: keyof ProvidersEnv }>;

/** Examples for the error messages of invalid variables. */
export const SUMMARY_EXAMPLES: Record<string, string> = {
  SUMMARY_MODEL: 'gpt-5.1-mini',
  SUMMARY_URL: 'http://ollama:11434/v1',
  SUMMARY_API_KEY: 'the key of that endpoint',
  ANALYSIS_MODEL: 'openai:gpt-5.1-mini',
};

/** The models that read ended calls. */
export const summaryVariables = z.object({
  /** Absent: the summary is composed from the data of the call, without a model. */
  SUMMARY_MODEL: z.string().optional(),
  /** Base (`…/v1`) or full address (`…/chat/completions`, `…/responses`) of an OpenAI-compatible endpoint. Absent: OpenAI's own. */
  SUMMARY_URL: z
    .url()
    .regex(/^https?:\/\//, 'must start with http:// or https://')
    .optional(),
  /** Absent: OPENAI_API_KEY. */
  SUMMARY_API_KEY: z.string().optional(),
  /** `vendor:model` for analyses, judges and personas that name no model; `none`: rules only. Absent: SUMMARY_MODEL. */
  ANALYSIS_MODEL: z
    .string()
    .regex(
      /^(?:none|(?:openai|openai-compatible|anthropic|google):\S{1,200})$/,
      'must be none, or a vendor and a model: openai, openai-compatible, anthropic or google, a colon and the name of the model',
    )
    .optional(),
});

export type SummaryEnv = z.output<typeof summaryVariables> & { OPENAI_API_KEY?: string };

/** Where the vectors of knowledge bases may come from, besides the role `embedder`; in the order in which `auto` looks for their keys. */
export const EMBEDDINGS_VENDORS = ['openai', 'gemini', 'mistral', 'cohere', 'voyage'] as const;
export type EmbeddingsVendor = (typeof EMBEDDINGS_VENDORS)[number];

const EMBEDDINGS_KEYS = {
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  cohere: 'COHERE_API_KEY',
  voyage: 'VOYAGE_API_KEY',
} as const satisfies Record<EmbeddingsVendor, keyof EmbeddingsEnv>;

/** Examples for the error messages of invalid variables. */
export const EMBEDDINGS_EXAMPLES: Record<string, string> = {
  EMBEDDINGS_PROVIDER: 'openai',
  EMBEDDINGS_URL: 'http://ollama:11434/v1',
  EMBEDDINGS_MODEL: 'nomic-embed-text',
  EMBEDDINGS_API_KEY: 'the key of that endpoint',
  EMBEDDINGS_DIMENSIONS: '768',
  EMBEDDINGS_MODEL_DIR: '/var/lib/trunkline/models/multilingual-e5-small',
  MISTRAL_API_KEY: 'a key of Mistral',
  COHERE_API_KEY: 'a key of Cohere',
  VOYAGE_API_KEY: 'a key of Voyage AI',
  EMBEDDER_URL: 'http://embedder:3010',
  EMBEDDER_HOST: '127.0.0.1',
  EMBEDDER_PORT: '3010',
};

/** Providers of earlier releases, and what to do instead. */
const REPLACED_PROVIDERS: Readonly<Record<string, string>> = {
  builtin:
    'builtin is now the role embedder, which runs the built-in model for all processes: remove the variable, or set it to embedder',
  local:
    'local is now the role embedder, which loads the model in EMBEDDINGS_MODEL_DIR for all processes: remove the variable, or set it to embedder',
};

/** The source of the vectors of knowledge bases. */
export const embeddingsVariables = z.object({
  /** `auto`: EMBEDDINGS_URL or a vendor with a key, else the role `embedder` where it runs, else `none` (search by words alone). */
  EMBEDDINGS_PROVIDER: z
    .enum(['auto', 'embedder', ...EMBEDDINGS_VENDORS, 'none'], {
      error: ({ input }) => (typeof input === 'string' ? REPLACED_PROVIDERS[input] : undefined),
    })
    .default('auto'),
  /** Base (`…/v1`) or full address (`…/embeddings?api-version=…`) of an OpenAI-compatible endpoint. Absent: the vendor's own. */
  EMBEDDINGS_URL: z
    .url()
    .regex(/^https?:\/\//, 'must start with http:// or https://')
    .optional(),
  /** Absent: the vendor's usual model. For a model in EMBEDDINGS_MODEL_DIR: its name; absent: the name of the folder. */
  EMBEDDINGS_MODEL: z.string().optional(),
  /** Absent: the vendor's key. */
  EMBEDDINGS_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  GEMINI_API_KEY: z.string().optional(),
  MISTRAL_API_KEY: z.string().optional(),
  COHERE_API_KEY: z.string().optional(),
  VOYAGE_API_KEY: z.string().optional(),
  /** Dimensions of a vector; required for models that this release does not know, optional for models with variable dimensions. */
  EMBEDDINGS_DIMENSIONS: z.coerce.number().int().min(8).max(8_192).optional(),
  /** Folder of a model (config.json, tokenizer.json, onnx/) for the role `embedder`; nothing is downloaded. Absent: the built-in model. */
  EMBEDDINGS_MODEL_DIR: z.string().optional(),
  /** The role `embedder`, for the other processes. `start` sets it for its own. */
  EMBEDDER_URL: z
    .url()
    .regex(/^https?:\/\//, 'must start with http:// or https://')
    .optional(),
  /** Where the role `embedder` listens. It answers anyone who reaches it: this must be a private address. */
  EMBEDDER_HOST: z.string().default('127.0.0.1'),
  EMBEDDER_PORT: z.coerce.number().int().min(0).max(65_535).default(3010),
});

export type EmbeddingsEnv = z.output<typeof embeddingsVariables>;

/** The key of a vendor of embeddings. */
export const embeddingsKey = (env: EmbeddingsEnv, vendor: EmbeddingsVendor): string | undefined =>
  env.EMBEDDINGS_API_KEY ?? env[EMBEDDINGS_KEYS[vendor]];

/** What EMBEDDINGS_PROVIDER selects; `auto` never selects `none`, but the role `embedder`, which may not run. */
export function embeddingsProvider(env: EmbeddingsEnv): EmbeddingsVendor | 'embedder' | 'none' {
  const { EMBEDDINGS_PROVIDER: provider, EMBEDDINGS_URL: url } = env;
  if (provider !== 'auto') return provider;
  if (url) return 'openai';
  return EMBEDDINGS_VENDORS.find((vendor) => env[EMBEDDINGS_KEYS[vendor]]) ?? 'embedder';
}

/** The variable that another one requires, and why. */
export function embeddingsProblem(env: EmbeddingsEnv): { name: keyof EmbeddingsEnv; message: string } | undefined {
  const provider = embeddingsProvider(env);
  if (provider === 'embedder' || provider === 'none') return undefined;
  const { EMBEDDINGS_URL: url } = env;
  if (provider === 'openai' && url) {
    return env.EMBEDDINGS_MODEL ? undefined : { name: 'EMBEDDINGS_MODEL', message: 'EMBEDDINGS_URL requires it' };
  }
  if (embeddingsKey(env, provider)) return undefined;
  if (provider === 'openai')
    return {
      name: 'EMBEDDINGS_URL',
      message: 'EMBEDDINGS_PROVIDER=openai requires it, or an OpenAI key in OPENAI_API_KEY',
    };
  return { name: EMBEDDINGS_KEYS[provider], message: `EMBEDDINGS_PROVIDER=${provider} requires it` };
}
