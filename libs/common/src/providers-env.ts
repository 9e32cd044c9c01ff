import { z } from 'zod';

/** The voice providers that an agent can name; the registry of `@app/voice` holds how each is opened. */
export const PROVIDER_NAMES = ['sandbox', 'openai-realtime', 'openai-live'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What each variable must look like, said when it does not. */
export const PROVIDERS_EXAMPLES: Record<string, string> = {
  REALTIME_URL: 'wss://NAME.openai.azure.com/openai/v1/realtime',
  REALTIME_API_KEY: 'the key of that server',
  REALTIME_MODEL: 'gpt-realtime-2.1',
  REALTIME_VOICE: 'marin',
  REALTIME_TRANSCRIPTION_MODEL: 'gpt-realtime-whisper',
  LIVE_URL: 'wss://api.openai.com/v1/live/sessions',
  LIVE_MODEL: 'gpt-live-1',
  LIVE_BACKEND_MODEL: 'the name of a model of the Responses API',
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
  /** Of agents that name none. */
  REALTIME_MODEL: z.string().optional(),
  REALTIME_VOICE: z.string().optional(),
  /** Turns what the callee says into words for the transcript; absent: nobody does. */
  REALTIME_TRANSCRIPTION_MODEL: z.string().optional(),
  /** OpenAI's Live sessions; absent: their own address. The key is OPENAI_API_KEY. */
  LIVE_URL: z
    .url()
    .regex(/^wss?:\/\//, 'must start with wss:// or ws://')
    .optional(),
  /** Of agents that name none. */
  LIVE_MODEL: z.string().optional(),
  LIVE_VOICE: z.string().optional(),
  /** Calls the tools, behind the live model that speaks. */
  LIVE_BACKEND_MODEL: z.string().optional(),
});

export type ProvidersEnv = z.output<typeof providersVariables>;
