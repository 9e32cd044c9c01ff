import { FRAME_MS } from '@app/telephony';

/** Voice is this far above the noise, and at least -50 dB below full scale. */
const ABOVE_NOISE_DB = 9;
const QUIETEST_VOICE_DB = -50;
/** Without this limit, speech without pauses would become the noise level. Noise above -36 dB counts as voice. */
const LOUDEST_NOISE_DB = -36;
/** The share of frames that are certainly not voice: between words, or before the first. */
const NOISE_PART = 0.1;
const LOWEST_DB = -100;

interface Heard {
  db: number;
  tone: boolean;
}

/** The levels of the last seconds, and which of them are voice. */
export class VoiceLevels {
  private readonly heard: Heard[] = [];
  /** The number of frames per decibel from -100 up: sorting them at every frame would cost more than the rest of the detector. */
  private readonly histogram = new Uint16Array(1 - LOWEST_DB);
  private count = 0;

  /** `memoryMs`: the duration that is kept. */
  constructor(private readonly memoryMs: number) {}

  push(db: number): void {
    this.heard.push({ db, tone: false });
    this.tally(db, 1);
    this.count++;
    if (this.heard.length * FRAME_MS <= this.memoryMs) return;
    const oldest = this.heard.shift();
    if (oldest) this.tally(oldest.db, -1);
  }

  /** Marks a time range as a tone, which is not voice. */
  markTone(startMs: number, endMs: number): void {
    const first = this.count - this.heard.length;
    for (let frame = Math.max(first, startMs / FRAME_MS); frame < endMs / FRAME_MS; frame++) {
      const heard = this.heard[frame - first];
      if (heard) heard.tone = true;
    }
  }

  /** Frame by frame, the oldest first. */
  voiced(): boolean[] {
    const threshold = Math.max(this.noiseDb() + ABOVE_NOISE_DB, QUIETEST_VOICE_DB);
    return this.heard.map(({ db, tone }) => db > threshold && !tone);
  }

  private noiseDb(): number {
    let left = this.heard.length * NOISE_PART;
    const at = this.histogram.findIndex((frames) => (left -= frames) < 0);
    return Math.min(LOWEST_DB + at, LOUDEST_NOISE_DB);
  }

  private tally(db: number, by: 1 | -1): void {
    const bucket = Math.min(-LOWEST_DB, Math.max(0, Math.round(db - LOWEST_DB)));
    this.histogram[bucket] = (this.histogram[bucket] ?? 0) + by;
  }
}
