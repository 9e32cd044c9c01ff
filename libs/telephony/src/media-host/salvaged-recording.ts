import { stat } from 'node:fs/promises';
import { WAV_HEADER_BYTES } from '../media/wav-header.js';
import type { AudioEnd } from './media-host.js';

/** Stereo, 16 bit, 8 kHz. */
const BYTES_PER_MS = 32;

/** What a thread that died had written of a recording: its header is at most some seconds behind, and players read to the end. */
export async function salvagedRecording(path: string | undefined): Promise<Omit<AudioEnd, 'stats'>> {
  if (path === undefined) return {};
  const recordingError = 'The recording ends early: the process part that made it failed.';
  try {
    const { size } = await stat(path);
    const durationMs = Math.floor((size - WAV_HEADER_BYTES) / BYTES_PER_MS);
    return durationMs > 0 ? { recording: { path, bytes: size, durationMs }, recordingError } : { recordingError };
  } catch {
    // It died before the first second was written.
    return { recordingError };
  }
}
