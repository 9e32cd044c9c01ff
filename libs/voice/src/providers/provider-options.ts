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
export interface WantedProvider {
  name: string;
  options: ProviderOptions;
}
