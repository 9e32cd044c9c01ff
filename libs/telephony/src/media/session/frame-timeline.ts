import { decode, decodeSample, encode, silenceByte, silentFrame } from '../codecs/g711.js';
import { bytesPerMs, FRAME_BYTES, FRAME_MS, type G711 } from './media-port.js';
import { timestampDistance } from '../rtp/rtp-packet.js';

/** Longest gap in the timestamps that is filled; a longer gap means that the sender restarted its clock. */
const MAX_FILL_FRAMES = 500 / FRAME_MS;

/** Bytes of L16 per byte of G.711. */
const WIDTH = bytesPerMs('L16') / bytesPerMs('PCMU');
const NO_WIDE = Buffer.alloc(0);

/** How audio was placed: in order, late, or synthesised for a lost packet. */
export type Placing = 'heard' | 'late' | 'concealed';

interface TimelineListener {
  /** The next 20 ms, without gaps; `concealed`: the frame replaces a lost packet. `wide`: the same as L16, when the payload had it. */
  frame(frame: Buffer, concealed: boolean, wide?: Buffer): void;
  /** A piece of any length with its position in samples of the remote clock, which continues within one stream. */
  placed?(at: number, audio: Buffer, placing: Placing, nowMs: number): void;
  /** The remote clock restarts: positions before and after are unrelated. */
  restarted?(): void;
}

/**
 * Cuts received payloads into 20 ms frames on one timeline: lost packets are concealed, gaps of the sender become silence, and while
 * nothing arrives, frames follow the clock (voice activity detection needs the pause).
 */
export class FrameTimeline {
  /**
   * The next timestamp, and its position on the clock without the wrap of 32 bits. NaN before the first one: a number that may be
   * undefined is a new object at every change.
   */
  private expected = NaN;
  private place = 0;
  private partial: Buffer[] = [];
  /** The same pieces as L16. */
  private partialWide: Buffer[] = [];
  private partialBytes = 0;
  /** NaN before the first tick or audio. */
  private lastAudioAt = NaN;
  /** Frames inserted by the clock that the timestamps have not covered yet. */
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
    this.expected = NaN;
    this.on.restarted?.();
  }

  /** Fills the time up to `timestamp`, where `next` follows, after so many lost packets. */
  goTo(timestamp: number, next: Buffer, nowMs: number, lost: number): void {
    if (Number.isNaN(this.expected)) this.place = timestamp;
    else this.fillGap(timestampDistance(this.expected, timestamp), next, nowMs, lost);
    this.expected = timestamp;
    this.ahead = 0;
  }

  /** The next payload in order, after so many lost packets. `wide`: the same audio as L16. */
  audio(timestamp: number, payload: Buffer, nowMs: number, lost = 0, wide?: Buffer): void {
    if (payload.length === 0) return;
    this.goTo(timestamp, payload, nowMs, lost);
    this.on.placed?.(this.place, payload, 'heard', nowMs);
    this.expected = (timestamp + payload.length) >>> 0;
    this.place += payload.length;
    this.lastAudioAt = nowMs;
    this.cut(payload, wide);
  }

  /** A late payload: it makes no frame, but has a position. */
  late(timestamp: number, payload: Buffer, nowMs: number): void {
    if (Number.isNaN(this.expected) || payload.length === 0) return;
    this.on.placed?.(this.place + timestampDistance(this.expected, timestamp), payload, 'late', nowMs);
  }

  /** Every 20 ms. Without audio for longer than `waitMs` and a frame, one frame per call: the last one fades out. */
  tick(nowMs: number, waitMs: number): void {
    if (Number.isNaN(this.lastAudioAt)) this.lastAudioAt = nowMs;
    if (nowMs - this.lastAudioAt <= waitMs + FRAME_MS) return;
    if (Number.isNaN(this.expected)) return this.on.frame(silentFrame(this.law), false);
    this.on.frame(this.conceal(this.place + this.ahead * FRAME_BYTES, nowMs), false);
    this.ahead++;
  }

  /** Pads the last piece, which is too short for a frame. */
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

  private emit(frame: Buffer, wide?: Buffer): void {
    this.concealment.heard(frame);
    this.on.frame(frame, false, wide);
  }

  private cut(payload: Buffer, wide?: Buffer): void {
    if (this.partialBytes === 0 && payload.length === FRAME_BYTES) {
      this.emit(payload, wide);
      return;
    }
    this.partial.push(payload);
    this.partialWide.push(wide ?? NO_WIDE);
    this.partialBytes += payload.length;
    if (this.partialBytes < FRAME_BYTES) return;
    const joined = Buffer.concat(this.partial, this.partialBytes);
    const isWide = !this.partialWide.includes(NO_WIDE);
    const wideJoined = isWide ? Buffer.concat(this.partialWide) : NO_WIDE;
    const whole = joined.length - (joined.length % FRAME_BYTES);
    for (let at = 0; at < whole; at += FRAME_BYTES) {
      const end = at + FRAME_BYTES;
      this.emit(joined.subarray(at, end), isWide ? wideJoined.subarray(at * WIDTH, end * WIDTH) : undefined);
    }
    this.partial = whole < joined.length ? [joined.subarray(whole)] : [];
    this.partialWide = this.partial.map(() => (isWide ? wideJoined.subarray(whole * WIDTH) : NO_WIDE));
    this.partialBytes = joined.length - whole;
  }
}

/** 5 to 15 ms: voices of 66 to 200 Hz, and multiples of higher ones (G.711 Appendix I §I.2.4). */
const MIN_PITCH = 40;
const MAX_PITCH = 120;
/** The end of the history that a pitch is searched for. */
const COMPARED = FRAME_BYTES;
const HISTORY_FRAMES = 3;
const HISTORY = HISTORY_FRAMES * FRAME_BYTES;
/** 10 ms at full level, then 20 % less every 10 ms: silent after 60 ms (§I.2.7). */
const FULL_SAMPLES = 80;
const FADE_SAMPLES = 400;
/** The step from the last sample to the repetition is smoothed over 2 ms. */
const STEP_SAMPLES = 16;
/** The next audio fades in 5 ms before it continues. */
const JOIN_SAMPLES = 40;

/**
 * Fills in for lost frames after G.711 Appendix I: the last pitch period is repeated, and fades out within 60 ms. Unlike there,
 * received frames are neither changed nor delayed: the transitions lie inside the concealed frames.
 */
class Concealment {
  /** The last frames, a ring of copies: a received frame that is kept survives garbage collections, each of which moves it. */
  private recent: Buffer | undefined;
  /** The oldest of them, which is replaced next. */
  private oldest = 0;
  /** The repeated period; computed at a loss. */
  private period: Int16Array | undefined;
  private step = 0;
  /** Samples since the last received frame. */
  private filled = 0;

  constructor(private readonly law: G711) {}

  /** A received frame: 160 bytes. */
  heard(frame: Buffer): void {
    this.period = undefined;
    this.remember(frame);
  }

  /** 20 ms in place of a lost frame. `next`: at least 15 ms of the audio directly after it, when known. */
  fill(next?: Buffer): Buffer {
    if (!this.period) this.begin();
    if (!next && this.hasFaded) return silentFrame(this.law);
    const period = this.period!;
    const pcm = new Int16Array(FRAME_BYTES);
    for (let i = 0; i < FRAME_BYTES; i++, this.filled++) {
      const gain = Math.max(0, Math.min(1, 1 - (this.filled - FULL_SAMPLES) / FADE_SAMPLES));
      const level = this.filled < STEP_SAMPLES ? this.step * (1 - this.filled / STEP_SAMPLES) : 0;
      pcm[i] = clip(gain * ((period[this.filled % period.length] as number) + level));
    }
    if (next && next.length >= period.length) this.join(pcm, next, period.length);
    const frame = encode(this.law, pcm);
    this.remember(frame);
    return frame;
  }

  /** The last audio has faded out completely. */
  get hasFaded(): boolean {
    return this.period !== undefined && this.filled >= FULL_SAMPLES + FADE_SAMPLES;
  }

  /** Allocated on first use: many calls end before they have received audio. */
  private get history(): Buffer {
    return (this.recent ??= Buffer.alloc(HISTORY, silenceByte(this.law)));
  }

  private remember(frame: Buffer): void {
    this.history.set(frame, this.oldest * FRAME_BYTES);
    this.oldest = (this.oldest + 1) % HISTORY_FRAMES;
  }

  private begin(): void {
    const oldest = this.oldest * FRAME_BYTES;
    const history = new Int16Array(HISTORY);
    history.set(decode(this.law, this.history.subarray(oldest)));
    history.set(decode(this.law, this.history.subarray(0, oldest)), HISTORY - oldest);
    const pitch = pitchOf(history);
    const period = history.slice(HISTORY - pitch);
    const quarter = pitch >> 2;
    // The end of the period fades into the audio before its beginning.
    for (let i = 0; i < quarter; i++) {
      const share = (i + 1) / (quarter + 1);
      const end = pitch - quarter + i;
      const before = history[HISTORY - pitch - quarter + i] as number;
      period[end] = Math.round((1 - share) * (period[end] as number) + share * before);
    }
    this.step = (history[HISTORY - 1] as number) - (history[HISTORY - 1 - pitch] as number);
    this.period = period;
    this.filled = 0;
  }

  /** Repeats the first period of `next` backwards. */
  private join(pcm: Int16Array, next: Buffer, pitch: number): void {
    for (let i = 1; i <= JOIN_SAMPLES; i++) {
      const share = 1 - i / (JOIN_SAMPLES + 1);
      const at = FRAME_BYTES - i;
      const coming = decodeSample(this.law, next[pitch - i] as number);
      pcm[at] = Math.round((1 - share) * (pcm[at] as number) + share * coming);
    }
  }
}

const clip = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

/** The lag of the highest normalised cross-correlation of the history with its end. */
function pitchOf(history: Int16Array): number {
  const from = HISTORY - COMPARED;
  let [best, pitch] = [-Infinity, MAX_PITCH];
  for (let lag = MIN_PITCH; lag <= MAX_PITCH; lag++) {
    let [product, energy] = [0, 1];
    for (let i = from; i < HISTORY; i++) {
      const earlier = history[i - lag] as number;
      product += (history[i] as number) * earlier;
      energy += earlier * earlier;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > best) [best, pitch] = [likeness, lag];
  }
  return pitch;
}
