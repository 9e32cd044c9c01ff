import type { StoredProviderChoice, StoredProviderOptions, StoredTurnDetection } from '@app/accounts';
import type { ProviderOptions, TurnDetection, ProviderChoice } from '@app/voice';

/** The provider of an agent, and after it those that take over. */
export function wantedProviders(name: string, stored: StoredProviderOptions): ProviderChoice[] {
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
