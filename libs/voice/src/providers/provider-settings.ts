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

/** What the operator configured; plain data, so that it reaches every thread. Absent: not configured. */
export interface ProviderSettings {
  realtime?: RealtimeServer;
  /** The sandbox server, when it runs. */
  sandbox?: RealtimeServer;
}

/** OpenAI's own, when there is a key and nothing else is said. */
const OPENAI_REALTIME = 'wss://api.openai.com/v1/realtime';

export function providerSettings(env: ProvidersEnv): ProviderSettings {
  const { REALTIME_URL: url, REALTIME_API_KEY: ownKey, OPENAI_API_KEY: openAiKey } = env;
  const key = ownKey ?? openAiKey;
  if (url === undefined && key === undefined) return {};
  const transcriptionModel = env.REALTIME_TRANSCRIPTION_MODEL;
  const realtime = { key, model: env.REALTIME_MODEL, voice: env.REALTIME_VOICE, transcriptionModel };
  return { realtime: { url: url ?? OPENAI_REALTIME, ...realtime } };
}
