import { carryAudio } from '../media/carry-audio.js';
import type { MediaPort } from '../media/media-port.js';
import type { Bridge } from './media-host.js';

/** Joins two calls: each hears the other, keys included. Returns how to part them. */
export function bridgeMedia(a: MediaPort, b: MediaPort): () => void {
  const stops = [...carry(a, b), ...carry(b, a)];
  return () => stops.forEach((stop) => stop());
}

/** A bridge that both sides know of until it is released. */
export function keepBridge(part: () => void, keepers: Set<Bridge>[]): Bridge {
  const bridge = {
    release: () => {
      part();
      for (const one of keepers) one.delete(bridge);
    },
  };
  for (const one of keepers) one.add(bridge);
  return bridge;
}

function carry(from: MediaPort, to: MediaPort): (() => void)[] {
  const stopKeys = from.onDtmf((digit, _durationMs, way) => {
    // Audible ones are in the audio already. The other leg may be closed.
    if (way !== 'audible') to.sendDtmf(digit).catch(() => undefined);
  });
  return [carryAudio(from, to), stopKeys];
}
