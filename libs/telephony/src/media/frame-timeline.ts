import { FRAME_BYTES, FRAME_MS } from './media-port.js';
import { timestampDistance } from './rtp-packet.js';
import { REORDER_MS } from './reorder-window.js';

/** Longest silence put in at once for a gap in the timestamps; a longer one is a sender that restarted its clock. */
const MAX_FILL_FRAMES = 500 / FRAME_MS;

/**
 * Cuts received payloads into 20 ms frames and keeps them on one timeline: what a gap in the timestamps says is missing becomes
 * silence, and while nothing arrives at all, silence keeps pace with the clock (voice activity detection needs the pause).
 */
export class FrameTimeline {
  private expected: number | undefined;
  private partial: Buffer[] = [];
  private partialBytes = 0;
  private lastAudioAt: number | undefined;
  /** Frames of silence that the clock has put in and the timestamps have not accounted for yet. */
  private ahead = 0;

  constructor(
    private readonly silence: () => Buffer,
    private readonly emit: (frame: Buffer) => void,
  ) {}

  /** A new source: its timestamps have nothing to do with the old ones. */
  reset(): void {
    this.expected = undefined;
  }

  audio(timestamp: number, payload: Buffer, nowMs: number): void {
    // Nothing to hear, and nothing to keep: pieces are only counted by their bytes.
    if (payload.length === 0) return;
    if (this.expected !== undefined) this.fillGap(timestampDistance(this.expected, timestamp));
    this.expected = (timestamp + payload.length) >>> 0;
    this.ahead = 0;
    this.lastAudioAt = nowMs;
    this.cut(payload);
  }

  /** Every 20 ms. Without audio for longer than the reorder window, a frame of silence per call. */
  tick(nowMs: number): void {
    this.lastAudioAt ??= nowMs;
    if (nowMs - this.lastAudioAt <= REORDER_MS) return;
    this.ahead++;
    this.emit(this.silence());
  }

  private fillGap(samples: number): void {
    const missing = Math.round(samples / FRAME_BYTES) - this.ahead;
    if (missing > MAX_FILL_FRAMES) return;
    for (let i = 0; i < missing; i++) this.emit(this.silence());
  }

  private cut(payload: Buffer): void {
    if (this.partialBytes === 0 && payload.length === FRAME_BYTES) {
      this.emit(payload);
      return;
    }
    this.partial.push(payload);
    this.partialBytes += payload.length;
    if (this.partialBytes < FRAME_BYTES) return;
    const joined = Buffer.concat(this.partial, this.partialBytes);
    const whole = joined.length - (joined.length % FRAME_BYTES);
    for (let at = 0; at < whole; at += FRAME_BYTES) this.emit(joined.subarray(at, at + FRAME_BYTES));
    this.partial = whole < joined.length ? [joined.subarray(whole)] : [];
    this.partialBytes = joined.length - whole;
  }
}
