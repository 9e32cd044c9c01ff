import type { PlayedItem } from './playback.js';
import type { ProviderCapabilities, VoiceConnection } from './providers/voice-provider.js';

/** Tells a provider, as far as its protocol lets us, that its speech was cut off and how much of it was heard. */
export function tellInterruption(
  connection: VoiceConnection,
  { cancel, truncate }: ProviderCapabilities,
  items: readonly PlayedItem[],
  generating: boolean,
): void {
  if (cancel && generating) connection.cancelResponse();
  if (!truncate) return;
  for (const item of items) if (item.truncated) connection.truncate(item.itemId, item.playedMs);
}
