import type { StoredProviderChoice, StoredProviderOptions, StoredTurnDetection } from '@app/db';

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

/** The provider of an agent, and after it those that take over. */
export function wantedProviders(name: string, stored: StoredProviderOptions): WantedProvider[] {
  const { fallbacks = [], ...own } = stored;
  const others = fallbacks.map(({ provider, ...choice }) => ({ name: provider, options: optionsOf(choice) }));
  return [{ name, options: optionsOf(own) }, ...others];
}

const optionsOf = (stored: StoredProviderChoice): ProviderOptions => ({
  model: stored.model,
  voice: stored.voice,
  transcriptionModel: stored.transcription_model,
  turnDetection: stored.turn_detection && detectionOf(stored.turn_detection),
  script: stored.script,
});

function detectionOf(stored: StoredTurnDetection): TurnDetection {
  if (stored.type === 'semantic_vad') return stored;
  const { type, threshold, prefix_padding_ms: prefixPaddingMs, silence_ms: silenceMs } = stored;
  return { type, threshold, prefixPaddingMs, silenceMs };
}
