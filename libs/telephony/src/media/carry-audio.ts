import { transcode } from './g711.js';
import type { MediaSession } from './media-session.js';
import type { Codec } from './media-port.js';

/** The far end's clock may run faster than ours: what waits longer than this is left out, before it becomes delay. */
const MAX_QUEUED_MS = 120;

/**
 * What `from` hears is said to `to`, until the returned function is called. With the same codec on both wires payloads pass unchanged
 * (no decoding, wideband stays wideband); otherwise by way of G.711, also when the codec changes in mid-call.
 */
export function carryAudio(from: MediaSession, to: MediaSession): () => void {
  let arriving: Codec | undefined;
  const stopPayloads = from.onPayload((payload, codec) => {
    arriving = codec;
    if (codec === to.wireCodec && to.payloadsQueuedMs <= MAX_QUEUED_MS) to.writePayload(payload, codec);
  });
  const stopFrames = from.onFrame((frame) => {
    if (arriving === to.wireCodec || to.queuedMs > MAX_QUEUED_MS) return;
    to.write(transcode(frame, from.codec, to.codec));
  });
  return () => {
    stopPayloads();
    stopFrames();
  };
}
