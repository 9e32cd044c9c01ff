import type { Clock } from '../clock.js';
import type { Speech } from '../speech/speech.js';
import type { ProviderChoice } from './provider-settings.js';
import type { ProviderSettings } from './provider-settings.js';
import type { VoiceProvider } from './voice-provider.js';

/** What the providers of a process share. */
export interface ProviderParts {
  speech: Speech;
  clock: Clock;
  settings: ProviderSettings;
}

/** One entry of the registry: how the provider of an agent is checked and opened. */
export interface ProviderKind {
  /** Why it cannot be used with these settings, as a sentence; undefined: it can. */
  problem(wanted: ProviderChoice, settings: ProviderSettings): string | undefined;
  /** Called only where there is no problem. Throws ProviderUnavailable. */
  open(wanted: ProviderChoice, parts: ProviderParts): VoiceProvider;
}
