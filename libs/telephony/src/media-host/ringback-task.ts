import { encode } from '../media/g711.js';
import { ringback } from '../media/tones.js';
import type { RunAudioTask } from './audio-task.js';

/** Name of the audio task that lets the far end hear it ring; it ends with its first message. */
export const RINGBACK_TASK = 'ringback';

/** One cycle more is queued when less than this is left. */
const AHEAD_MS = 500;

/** Plays ringback until a message arrives or the audio ends. */
export const ringbackTask: RunAudioTask = (media, _init, channel) =>
  new Promise((resolve) => {
    const cycle = encode(media.codec, ringback());
    const next = (): void => {
      if (media.queuedMs < AHEAD_MS) media.write(cycle);
    };
    const stopFrames = media.onFrame(next);
    next();
    const stop = (): void => {
      stopFrames();
      media.flush();
      resolve(undefined);
    };
    channel.onMessage(stop);
    channel.over.addEventListener('abort', stop, { once: true });
  });
