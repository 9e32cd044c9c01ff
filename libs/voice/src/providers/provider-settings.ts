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

/** A server with the Live protocol of Gemini. */
interface GeminiServer {
  /** With or without the path of the method. */
  url: string;
  key?: string;
  model?: string;
  voice?: string;
  /** The sandbox server of this process takes the place of the service. */
  isSandbox?: boolean;
}

/** The operator's configuration; plain data that can be sent to threads. Absent: not configured. */
export interface ProviderSettings {
  realtime?: RealtimeServer;
  live?: LiveServer;
  gemini?: GeminiServer;
  /** The sandbox server, if it runs. */
  sandbox?: RealtimeServer;
}

/** OpenAI's servers are the default when there is a key. */
const OPENAI_REALTIME = 'wss://api.openai.com/v1/realtime';
const OPENAI_LIVE = 'wss://api.openai.com/v1/live/sessions';
const GEMINI = 'wss://generativelanguage.googleapis.com';

export const providerSettings = (env: ProvidersEnv): ProviderSettings => ({
  realtime: realtimeServer(env),
  live: liveServer(env),
  gemini: geminiServer(env),
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

function geminiServer(env: ProvidersEnv): GeminiServer | undefined {
  const { GEMINI_BASE_URL: url, GEMINI_API_KEY: key, GEMINI_MODEL: model, GEMINI_VOICE: voice } = env;
  if (url === undefined && key === undefined) return undefined;
  return { url: url ?? GEMINI, key, model, voice, ...(url === 'sandbox' ? { isSandbox: true } : {}) };
}

/** Whether one of the providers is played by the sandbox server. */
export const needsSandbox = (wanted: readonly ProviderChoice[], { gemini }: ProviderSettings): boolean =>
  wanted.some(({ name }) => name === 'sandbox' || (name === 'gemini-live' && gemini?.isSandbox === true));

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
