import { encode } from '@app/telephony';
import { resample } from '@app/voice';
import { setTimeout as delay } from 'node:timers/promises';
import type { AudioFormat } from './client-events.js';
import type { Wire } from './protocol.js';

const PCM_RATE = 24_000;
const CLIP_RATE = 8_000;

/** Bytes per millisecond. */
export const bytesPerMs = ({ type }: AudioFormat): number => (type === 'audio/pcm' ? 48 : 8);

/** A spoken sentence, 8 kHz, in the format that the client wants. */
export async function encoded(samples: Int16Array, { type }: AudioFormat): Promise<Buffer> {
  if (type === 'audio/pcmu') return encode('PCMU', samples);
  if (type === 'audio/pcma') return encode('PCMA', samples);
  const { buffer, byteOffset, byteLength } = await resample(samples, CLIP_RATE, PCM_RATE);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Audio that is sent at once, so that the telephone never waits. */
const AHEAD_MS = 1_500;
/** The rest is sent this many times as fast as it is played: a response can be cancelled during its generation. */
const SPEED = 10;
/** Sending pauses while the client has this many unread bytes. */
const MOST_WAITING_BYTES = 1_000_000;
const LOOK_AGAIN_MS = 20;

/** Sends audio as a model does: faster than it is played, not all at once. */
export class Pace {
  private readonly startedAt = performance.now();

  constructor(
    private readonly wire: Wire,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits until audio that begins at `sentMs` may leave; returns at once when the response was stopped. */
  async until(sentMs: number): Promise<void> {
    const dueMs = (sentMs - AHEAD_MS) / SPEED - (performance.now() - this.startedAt);
    if (dueMs > 1) await pause(dueMs, this.signal);
    while (this.wire.waitingBytes > MOST_WAITING_BYTES && !this.signal.aborted) await pause(LOOK_AGAIN_MS, this.signal);
  }
}

/** Ends early, without an error, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
