import { transcode } from '../media/g711.js';
import type { MediaPort } from '../media/media-port.js';

/** The far end's clock may run faster than ours: what waits longer than this is left out, before it becomes delay. */
const MAX_QUEUED_MS = 120;

/** Joins two calls: each hears the other, keys included. Returns how to part them. */
export function bridgeMedia(a: MediaPort, b: MediaPort): () => void {
  const stops = [...carry(a, b), ...carry(b, a)];
  return () => stops.forEach((stop) => stop());
}

function carry(from: MediaPort, to: MediaPort): (() => void)[] {
  const stopFrames = from.onFrame((frame) => {
    if (to.queuedMs <= MAX_QUEUED_MS) to.write(transcode(frame, from.codec, to.codec));
  });
  const stopKeys = from.onDtmf((digit) => {
    // A far end that takes no RFC 4733 events gets no keys: there is nothing else to do with them here.
    to.sendDtmf(digit).catch(() => undefined);
  });
  return [stopFrames, stopKeys];
}
