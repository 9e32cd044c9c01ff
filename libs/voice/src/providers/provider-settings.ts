import type { ProvidersEnv } from '@app/common';

/** A server that speaks the Realtime protocol, as the operator gave it. */
export interface RealtimeServer {
  /** Without a query; the model comes from the agent or `model`. */
  url: string;
  key?: string;
  /** Of agents that name none. */
  model?: string;
  voice?: string;
  /** Without it, nobody turns the callee's speech into words. */
  transcriptionModel?: string;
}

/** OpenAI's Live service. */
interface LiveServer {
  url: string;
  key?: string;
  model?: string;
  voice?: string;
  /** Calls the tools, behind the model that speaks. */
  backendModel?: string;
}

/** What the operator configured; plain data, so that it reaches every thread. Absent: not configured. */
export interface ProviderSettings {
  realtime?: RealtimeServer;
  live?: LiveServer;
  /** The sandbox server, when it runs. */
  sandbox?: RealtimeServer;
}

/** OpenAI's own, when there is a key and nothing else is said. */
const OPENAI_REALTIME = 'wss://api.openai.com/v1/realtime';
const OPENAI_LIVE = 'wss://api.openai.com/v1/live/sessions';

export const providerSettings = (env: ProvidersEnv): ProviderSettings => ({
  realtime: realtimeServer(env),
  live: liveServer(env),
});

function realtimeServer(env: ProvidersEnv): RealtimeServer | undefined {
  const { REALTIME_URL: url, REALTIME_API_KEY: ownKey, OPENAI_API_KEY: openAiKey } = env;
  const key = ownKey ?? openAiKey;
  if (url === undefined && key === undefined) return undefined;
  const transcriptionModel = env.REALTIME_TRANSCRIPTION_MODEL;
  const { REALTIME_MODEL: model, REALTIME_VOICE: voice } = env;
  return { url: url ?? OPENAI_REALTIME, key, model, voice, transcriptionModel };
}

function liveServer(env: ProvidersEnv): LiveServer | undefined {
  const { LIVE_URL: url, OPENAI_API_KEY: key, LIVE_BACKEND_MODEL: backendModel } = env;
  if (url === undefined && key === undefined) return undefined;
  return { url: url ?? OPENAI_LIVE, key, model: env.LIVE_MODEL, voice: env.LIVE_VOICE, backendModel };
}

/** When the provider decides that somebody has spoken. Numbers that are absent are the provider's own. */
export type TurnDetection =
  | { type: 'server_vad'; threshold?: number; prefixPaddingMs?: number; silenceMs?: number }
  | { type: 'semantic_vad'; eagerness?: 'low' | 'medium' | 'high' | 'auto' };

/** What one agent wants of a provider; what is absent is the operator's choice, or the provider's. */
export interface ProviderOptions {
  model?: string;
  voice?: string;
  transcriptionModel?: string;
  turnDetection?: TurnDetection;
  /** Of a scripted agent. */
  script?: unknown;
}

/** Plain data: it goes from the thread of the signalling to that of the audio. */
export interface ProviderChoice {
  name: string;
  options: ProviderOptions;
}
