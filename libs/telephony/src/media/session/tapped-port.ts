import type { MediaPort } from './media-port.js';
import type { TappedFrame } from './stereo-tap.js';

/** A leg whose audio people can listen to, and speak into beside its own. */
export interface TappedPort {
  /** Both directions, one frame per 20 ms; see StereoTap. Only after the audio has started. Returns a function that ends it. */
  tap(listener: (frame: TappedFrame) => void): () => void;
  /** Adds the voice of one person to the sent audio, frame by frame of L16, 20 ms each; another person replaces it. */
  addVoice(): { speak(frame: Buffer): void; remove(): void };
}

/** An external engine cannot be tapped. */
export const isTapped = (port: MediaPort): port is MediaPort & TappedPort => 'tap' in port;
