import { transcode } from '../media/g711.js';
import type { MediaPort, WirePort } from '../media/media-port.js';
import type { Bridge } from './media-host.js';

/** Bridges two calls in both directions, keys included. Returns a function that releases the bridge. */
export function bridgeAudio(a: MediaPort, b: MediaPort): () => void {
  const stops = [...forwardBoth(a, b), ...forwardBoth(b, a)];
  return () => stops.forEach((stop) => stop());
}

/** Registers a bridge with both sides until it is released. */
export function registerBridge(part: () => void, keepers: Set<Bridge>[]): Bridge {
  const bridge = {
    release: () => {
      part();
      for (const one of keepers) one.delete(bridge);
    },
  };
  for (const one of keepers) one.add(bridge);
  return bridge;
}

function forwardBoth(from: MediaPort, to: MediaPort): (() => void)[] {
  const stopKeys = from.onDtmf((digit, _durationMs, way) => {
    // Audible ones are in the audio already. The other leg may be closed.
    if (way !== 'audible') to.sendDtmf(digit).catch(() => undefined);
  });
  return [forwardAudio(from, to), stopKeys];
}

/** The far end's clock may run faster than ours: audio beyond this queue length is dropped, so that no delay builds up. */
const MAX_QUEUED_MS = 120;

/**
 * Forwards the audio of `from` to `to` until the returned function is called. With the same codec on both wires payloads pass unchanged
 * (no decoding, wideband stays wideband); otherwise by way of G.711, also when the codec changes in mid-call.
 */
export function forwardAudio(from: MediaPort, to: MediaPort): () => void {
  let unchanged = false;
  const stopPayloads = forwardPayloads(from, to, (passed) => (unchanged = passed));
  const pass = (frame: Buffer): void => {
    if (!unchanged && to.queuedMs <= MAX_QUEUED_MS) to.write(transcode(frame, from.codec, to.codec));
  };
  const stopFrames = hasWire(from) ? from.onAudio(pass) : from.onFrame(pass);
  return () => {
    stopPayloads();
    stopFrames();
  };
}

/** `passed` reports for each payload, before its frames, whether it was forwarded unchanged. */
function forwardPayloads(from: MediaPort, to: MediaPort, passed: (unchanged: boolean) => void): () => void {
  if (!hasWire(from) || !hasWire(to)) return () => undefined;
  return from.onPayload((payload, codec) => {
    passed(codec === to.wireCodec);
    if (codec === to.wireCodec && to.payloadsQueuedMs <= MAX_QUEUED_MS) to.writePayload(payload, codec);
  });
}

/** An external engine gives frames only. */
const hasWire = (port: MediaPort): port is MediaPort & WirePort => 'wireCodec' in port;
