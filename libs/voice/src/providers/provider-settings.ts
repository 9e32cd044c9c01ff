import { type ProvidersEnv, VENDOR_VARIABLES } from '@app/common';
import type { Clock } from '../clock.js';
import type { Speech } from '../speech/speech.js';
import type { ModelChoice, PipelineOptions } from './pipeline/pipeline-options.js';
import { endpointOf, InsecureEndpoint } from './socket/server-protocol.js';
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

/** The server of a vendor of pipeline legs. */
export interface VendorServer {
  /** The base address without a trailing slash; of the sandbox server when that plays the vendor. */
  url: string;
  key?: string;
  /** The sandbox server of this process takes the place of the service. */
  isSandbox?: boolean;
}

export type VendorName = keyof typeof VENDORS;

/** The operator's configuration; plain data that can be sent to threads. Absent: not configured. */
export interface ProviderSettings {
  realtime?: RealtimeServer;
  live?: LiveServer;
  gemini?: GeminiServer;
  /** The configured vendors of pipeline legs. */
  vendors?: Partial<Record<VendorName, VendorServer>>;
  /** The voice file of the program piper. */
  piperModel?: string;
  /** The speech programs of the machine; absent: that of this process. */
  programs?: readonly string[];
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
  vendors: vendorServers(env),
  ...(env.PIPER_MODEL && { piperModel: env.PIPER_MODEL }),
});

/** The variables of each vendor, and its own address. */
const VENDORS = {
  deepgram: { ...VENDOR_VARIABLES.deepgram, own: 'https://api.deepgram.com' },
  assemblyai: { ...VENDOR_VARIABLES.assemblyai, own: 'https://streaming.assemblyai.com' },
  openai: { ...VENDOR_VARIABLES.openai, own: 'https://api.openai.com/v1' },
  anthropic: { ...VENDOR_VARIABLES.anthropic, own: 'https://api.anthropic.com/v1' },
  google: { ...VENDOR_VARIABLES.google, own: 'https://generativelanguage.googleapis.com/v1beta' },
  compatible: { ...VENDOR_VARIABLES.compatible, own: undefined },
  elevenlabs: { ...VENDOR_VARIABLES.elevenlabs, own: 'https://api.elevenlabs.io' },
  cartesia: { ...VENDOR_VARIABLES.cartesia, own: 'https://api.cartesia.ai' },
} as const satisfies Record<string, { url: keyof ProvidersEnv; key: keyof ProvidersEnv; own: string | undefined }>;

/** A vendor with a key or an address is configured. */
function vendorServers(env: ProvidersEnv): ProviderSettings['vendors'] {
  const configured = Object.entries(VENDORS).flatMap(([name, { url, key, own }]): [string, VendorServer][] => {
    const address = env[url] ?? (env[key] === undefined ? undefined : own);
    if (address === undefined) return [];
    const isSandbox = address === 'sandbox' ? { isSandbox: true } : {};
    return [[name, { url: address.replace(/\/$/, ''), key: env[key], ...isSandbox }]];
  });
  return Object.fromEntries(configured);
}

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

/**
 * The server of a vendor; undefined: it is not configured, or the sandbox server that plays it does not run here. The address of a
 * played vendor has the vendor's path.
 */
export function vendorServer(name: VendorName, { vendors, sandbox }: ProviderSettings): VendorServer | undefined {
  const vendor = vendors?.[name];
  return vendor?.isSandbox ? sandbox && playedVendor(name, sandbox) : vendor;
}

/** Why a provider or a leg cannot be used. */
export interface ProviderProblem {
  /** A variable, or A_MODEL. Absent: nothing is missing. */
  missing?: string;
  /** With the remedy, as a sentence. */
  message: string;
}

/** `missing` of a provider without the name of a model. */
export const A_MODEL = 'The name of a model';

export const lacks = (missing: string, message: string): ProviderProblem => ({ missing, message });

/** Why a leg of this kind cannot use the vendor; undefined: it can. */
export function vendorProblem(kind: string, name: VendorName, settings: ProviderSettings): ProviderProblem | undefined {
  const { url, key, own } = VENDORS[name];
  const leg = `The ${kind} ${LEG_OF[name] ?? name}`;
  const server = vendorServer(name, settings);
  if (server) return addressProblem(server.url);
  if (settings.vendors?.[name])
    return { message: `${leg} needs the sandbox server (${url}), which does not run here.` };
  return own === undefined
    ? lacks(url, `${leg} needs ${url}, the address of a server.`)
    : lacks(key, `${leg} needs ${key}, or ${url} for another server.`);
}

function addressProblem(url: string): ProviderProblem | undefined {
  try {
    endpointOf({ url });
    return undefined;
  } catch (error) {
    if (error instanceof InsecureEndpoint) return { message: error.message };
    throw error;
  }
}

/** As `vendorProblem`. The sandbox server needs no name of a model. */
export function modelProblem(
  vendor: VendorName,
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
  settings: ProviderSettings,
): ProviderProblem | undefined {
  const problem = vendorProblem('language model', vendor, settings);
  if (problem !== undefined || model !== undefined || vendorServer(vendor, settings)?.isSandbox) return problem;
  return lacks(A_MODEL, `The language model ${provider} needs the name of a model in the agent.`);
}

/** A vendor as the sandbox server plays it. */
function playedVendor(name: VendorName, { url, key }: RealtimeServer): VendorServer {
  const own = VENDORS[name].own ?? VENDORS.openai.own;
  const path = new URL(own).pathname.replace(/\/$/, '');
  return { url: new URL(url).origin.replace(/^ws/, 'http') + path, key, isSandbox: true };
}

/** Whether one of the providers is played by the sandbox server. */
export const needsSandbox = (wanted: readonly ProviderChoice[], { gemini, vendors = {} }: ProviderSettings): boolean =>
  wanted.some(({ name, options }) => {
    if (name === 'gemini-live') return gemini?.isSandbox === true;
    return name === 'sandbox' || (name === 'pipeline' && legsNeedSandbox(options.pipeline, vendors));
  });

/** An absent leg is a sandbox leg. */
function legsNeedSandbox(options: PipelineOptions = {}, vendors: NonNullable<ProviderSettings['vendors']>): boolean {
  const legs = [options.transcriber, options.model, options.synthesizer];
  const names = legs.flatMap((leg) =>
    leg ? [leg.provider, ...(leg.fallbacks ?? []).map((one) => one.provider)] : ['sandbox'],
  );
  return names.some(
    (name) => name === 'sandbox' || vendors[VENDOR_OF[name] ?? (name as VendorName)]?.isSandbox === true,
  );
}

/** Vendors whose legs have another name. */
const LEG_OF: Partial<Record<VendorName, string>> = { compatible: 'openai-compatible' };
const VENDOR_OF: Partial<Record<string, VendorName>> = { 'openai-compatible': 'compatible' };

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
  /** The legs of the provider `pipeline`. */
  pipeline?: PipelineOptions;
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
  /** Why it cannot be used with these settings; undefined: it can. */
  problem(
    wanted: ProviderChoice,
    settings: ProviderSettings,
  ): ProviderProblem | undefined | Promise<ProviderProblem | undefined>;
  /** Called only without a problem. Throws ProviderUnavailable. */
  open(wanted: ProviderChoice, parts: ProviderParts): VoiceProvider;
}
