import { decode, decodeSample, encode, silentFrame } from './g711.js';
import { FRAME_BYTES, type G711 } from './media-port.js';

/** 5 to 15 ms: voices of 66 to 200 Hz, and multiples of higher ones (G.711 Appendix I §I.2.4). */
const SHORTEST_PITCH = 40;
const LONGEST_PITCH = 120;
/** The end of the history that a pitch is searched for. */
const COMPARED = FRAME_BYTES;
const HISTORY_FRAMES = 3;
const HISTORY = HISTORY_FRAMES * FRAME_BYTES;
/** 10 ms at full level, then 20 % less every 10 ms: silent after 60 ms (§I.2.7). */
const FULL_SAMPLES = 80;
const FADE_SAMPLES = 400;
/** The step from the last sample to the repetition is levelled out over 2 ms. */
const STEP_SAMPLES = 16;
/** 5 ms before the audio goes on, its own beginning fades in. */
const JOIN_SAMPLES = 40;

/**
 * Fills in for lost frames after G.711 Appendix I: the last pitch period is repeated, and fades out within 60 ms. Other than there the
 * frames that arrived stay as they are, and none is delayed: the seams lie inside the filled-in frames.
 */
export class Concealment {
  private readonly recent: [Buffer, Buffer, Buffer];
  /** The period that is repeated; made when something is lost. */
  private period: Int16Array | undefined;
  private step = 0;
  /** Samples since the last frame that arrived. */
  private filled = 0;

  constructor(private readonly law: G711) {
    const silence = silentFrame(law);
    this.recent = [silence, silence, silence];
  }

  /** A frame that arrived: 160 bytes, kept and not copied. */
  heard(frame: Buffer): void {
    this.period = undefined;
    this.remember(frame);
  }

  /** 20 ms in the place of a lost frame. `next`: at least 15 ms of the audio that follows it directly, when it is known. */
  fill(next?: Buffer): Buffer {
    if (!this.period) this.begin();
    if (!next && this.hasFaded) return silentFrame(this.law);
    const period = this.period!;
    const pcm = new Int16Array(FRAME_BYTES);
    for (let i = 0; i < FRAME_BYTES; i++, this.filled++) {
      const gain = Math.max(0, Math.min(1, 1 - (this.filled - FULL_SAMPLES) / FADE_SAMPLES));
      const level = this.filled < STEP_SAMPLES ? this.step * (1 - this.filled / STEP_SAMPLES) : 0;
      pcm[i] = clipped(gain * ((period[this.filled % period.length] as number) + level));
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

  private remember(frame: Buffer): void {
    const { recent } = this;
    recent[0] = recent[1];
    recent[1] = recent[2];
    recent[2] = frame;
  }

  private begin(): void {
    const history = new Int16Array(HISTORY);
    this.recent.forEach((frame, i) => history.set(decode(this.law, frame), i * FRAME_BYTES));
    const pitch = pitchOf(history);
    const period = history.slice(HISTORY - pitch);
    const quarter = pitch >> 2;
    // The end of the period leads over to its beginning: what came before that fades in.
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

  /** Backwards from `next`, its first period repeated. */
  private join(pcm: Int16Array, next: Buffer, pitch: number): void {
    for (let i = 1; i <= JOIN_SAMPLES; i++) {
      const share = 1 - i / (JOIN_SAMPLES + 1);
      const at = FRAME_BYTES - i;
      const coming = decodeSample(this.law, next[pitch - i] as number);
      pcm[at] = Math.round((1 - share) * (pcm[at] as number) + share * coming);
    }
  }
}

const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

/** The lag at which the history resembles its end most, by normalised cross-correlation. */
function pitchOf(history: Int16Array): number {
  const from = HISTORY - COMPARED;
  let [best, pitch] = [-Infinity, LONGEST_PITCH];
  for (let lag = SHORTEST_PITCH; lag <= LONGEST_PITCH; lag++) {
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
