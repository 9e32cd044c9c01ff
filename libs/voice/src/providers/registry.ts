import type { Clock } from '../clock.js';
import type { Speech } from '../speech/speech.js';
import { SandboxProvider } from './sandbox/sandbox-provider.js';
import { ProviderUnavailable, type VoiceProvider } from './voice-provider.js';

/**
 * The provider that an agent's `provider` setting names, for one call or for many.
 * Throws ProviderUnavailable for a name that this build does not know.
 */
export function providerFor(name: string, parts: { speech: Speech; clock: Clock }): VoiceProvider {
  if (name === 'sandbox') return new SandboxProvider(parts.speech, parts.clock);
  throw new ProviderUnavailable(`The voice provider "${name}" is not available here. Available: sandbox.`);
}
