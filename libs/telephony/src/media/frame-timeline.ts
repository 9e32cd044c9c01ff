import { Concealment } from './concealment.js';
import { silentFrame } from './g711.js';
import { FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';
import { timestampDistance } from './rtp-packet.js';

/** Longest gap in the timestamps that is filled; a longer one is a sender that restarted its clock. */
const MAX_FILL_FRAMES = 500 / FRAME_MS;

/** How audio was placed: in order, late, or synthesised for a lost packet. */
export type Placing = 'heard' | 'late' | 'concealed';

interface TimelineListener {
  /** The next 20 ms, without gaps; `concealed` when a lost packet is in between, and this frame stands for it. */
  frame(frame: Buffer, concealed: boolean): void;
  /** A piece of any length with its place: samples on the far end's clock, which goes on from piece to piece of one stream. */
  placed?(at: number, audio: Buffer, placing: Placing, nowMs: number): void;
  /** The far end's clock restarts: positions before and after are unrelated. */
  restarted?(): void;
}

/**
 * Cuts received payloads into 20 ms frames and keeps them on one timeline: what is lost is concealed, what the sender left out becomes
 * silence, and while nothing arrives at all, frames keep pace with the clock (voice activity detection needs the pause).
 */
export class FrameTimeline {
  /** Timestamp of what comes next, and its place on the clock without the wrap of 32 bits. */
  private expected: number | undefined;
  private place = 0;
  private partial: Buffer[] = [];
  private partialBytes = 0;
  private lastAudioAt: number | undefined;
  /** Frames that the clock has put in and the timestamps have not accounted for yet. */
  private ahead = 0;
  private readonly concealment: Concealment;

  constructor(
    private readonly law: G711,
    private readonly on: TimelineListener,
  ) {
    this.concealment = new Concealment(law);
  }

  /** A new source: its timestamps are unrelated to the old ones. */
  reset(): void {
    this.expected = undefined;
    this.on.restarted?.();
  }

  /** Fills the time up to `timestamp`, where `next` follows, after so many lost packets. */
  goTo(timestamp: number, next: Buffer, nowMs: number, lost: number): void {
    if (this.expected === undefined) this.place = timestamp;
    else this.fillGap(timestampDistance(this.expected, timestamp), next, nowMs, lost);
    this.expected = timestamp;
    this.ahead = 0;
  }

  /** The next payload in order, after so many lost packets. */
  audio(timestamp: number, payload: Buffer, nowMs: number, lost = 0): void {
    if (payload.length === 0) return;
    this.goTo(timestamp, payload, nowMs, lost);
    this.on.placed?.(this.place, payload, 'heard', nowMs);
    this.expected = (timestamp + payload.length) >>> 0;
    this.place += payload.length;
    this.lastAudioAt = nowMs;
    this.cut(payload);
  }

  /** A payload whose turn has passed: no frame, but it has a place. */
  late(timestamp: number, payload: Buffer, nowMs: number): void {
    if (this.expected === undefined || payload.length === 0) return;
    this.on.placed?.(this.place + timestampDistance(this.expected, timestamp), payload, 'late', nowMs);
  }

  /** Every 20 ms. Without audio for longer than `waitMs` and a frame, one frame per call: the last one fades out. */
  tick(nowMs: number, waitMs: number): void {
    this.lastAudioAt ??= nowMs;
    if (nowMs - this.lastAudioAt <= waitMs + FRAME_MS) return;
    if (this.expected === undefined) return this.on.frame(silentFrame(this.law), false);
    this.on.frame(this.conceal(this.place + this.ahead * FRAME_BYTES, nowMs), false);
    this.ahead++;
  }

  /** The last piece, too short for a frame, as one. */
  flush(): void {
    if (this.partialBytes > 0) this.cut(silentFrame(this.law).subarray(this.partialBytes));
  }

  private fillGap(distance: number, next: Buffer, nowMs: number, lost: number): void {
    const missing = Math.round(distance / FRAME_BYTES);
    const open = missing - this.ahead;
    if (Math.abs(open) > MAX_FILL_FRAMES) this.on.restarted?.();
    else {
      for (let i = this.ahead; i < missing; i++) {
        const following = i === missing - 1 ? next : undefined;
        if (lost > 0) this.on.frame(this.conceal(this.place + i * FRAME_BYTES, nowMs, following), true);
        else this.emit(silentFrame(this.law));
      }
    }
    this.place += distance;
  }

  private conceal(at: number, nowMs: number, next?: Buffer): Buffer {
    const isSilence = this.concealment.hasFaded && next === undefined;
    const frame = this.concealment.fill(next);
    if (!isSilence) this.on.placed?.(at, frame, 'concealed', nowMs);
    return frame;
  }

  private emit(frame: Buffer): void {
    this.concealment.heard(frame);
    this.on.frame(frame, false);
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
