import type { ProvidersEnv } from '@app/common';
import type { Clock } from '../clock.js';
import type { Speech } from '../speech/speech.js';
import type { VoiceProvider } from './voice-provider.js';

/** A server with the Realtime protocol, as configured by the operator. */
export interface RealtimeServer {
  /** Without a query; the model comes from the agent or `model`. */
  url: string;
  key?: string;
  /** For agents without a model. */
  model?: string;
  voice?: string;
  /** Absent: the user's speech is not transcribed. */
  transcriptionModel?: string;
}

/** OpenAI's Live service. */
interface LiveServer {
  url: string;
  key?: string;
  model?: string;
  voice?: string;
  /** The model behind the voice model, which calls the tools. */
  backendModel?: string;
}

/** The operator's configuration; plain data that can be sent to threads. Absent: not configured. */
export interface ProviderSettings {
  realtime?: RealtimeServer;
  live?: LiveServer;
  /** The sandbox server, if it runs. */
  sandbox?: RealtimeServer;
}

/** OpenAI's servers are the default when there is a key. */
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

/** How the provider detects the end of the user's turn. Absent numbers are the provider's defaults. */
export type TurnDetection =
  | { type: 'server_vad'; threshold?: number; prefixPaddingMs?: number; silenceMs?: number }
  | { type: 'semantic_vad'; eagerness?: 'low' | 'medium' | 'high' | 'auto' };

/** The options of one agent; absent ones are the operator's choice, or the provider's. */
export interface ProviderOptions {
  model?: string;
  voice?: string;
  transcriptionModel?: string;
  turnDetection?: TurnDetection;
  /** For the scripted sandbox agent. */
  script?: unknown;
}

/** One entry of an agent's provider list. Plain data: it is sent from the signalling thread to the media thread. */
export interface ProviderChoice {
  name: string;
  options: ProviderOptions;
}

/** The shared dependencies of the providers of a process. */
export interface ProviderParts {
  speech: Speech;
  clock: Clock;
  settings: ProviderSettings;
}

/** One entry of the registry: checks and opens the provider of an agent. */
export interface ProviderKind {
  /** Why it cannot be used with these settings, as a sentence; undefined: it can. */
  problem(wanted: ProviderChoice, settings: ProviderSettings): string | undefined;
  /** Called only without a problem. Throws ProviderUnavailable. */
  open(wanted: ProviderChoice, parts: ProviderParts): VoiceProvider;
}
