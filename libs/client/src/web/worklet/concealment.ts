import { WIRE_RATE } from './frame-slicer.js';

/** Voices have periods of 2.5 to 15 ms (66 to 400 Hz). */
const MIN_PERIOD = WIRE_RATE * 0.0025;
const MAX_PERIOD = WIRE_RATE * 0.015;
/** Samples whose likeness is compared for each period. */
const COMPARED = WIRE_RATE * 0.02;
const KEPT = MAX_PERIOD + COMPARED;

/** Continues a voice whose audio is missing: its last period is repeated and fades out (as ITU-T G.711 Appendix I does). */
export class Concealment {
  /** The last samples that were played, in a ring. */
  private readonly played: Float32Array;
  private end = 0;
  private period = 0;
  private repeated = 0;
  private gain = 0;
  private fade = 0;
  private cycle = new Float32Array(MAX_PERIOD);

  constructor() {
    this.played = new Float32Array(KEPT);
  }

  remember(sample: number): void {
    this.played[this.end] = sample;
    this.end = this.end + 1 === KEPT ? 0 : this.end + 1;
  }

  /** From now on `next` continues what was played, for `samples`. */
  begin(samples: number): void {
    const recent = new Float32Array(KEPT);
    recent.set(this.played.subarray(this.end));
    recent.set(this.played.subarray(0, this.end), KEPT - this.end);
    this.period = periodOf(recent);
    this.cycle.set(recent.subarray(KEPT - this.period));
    this.repeated = 0;
    this.gain = 1;
    this.fade = 1 / samples;
  }

  get isSilent(): boolean {
    return this.gain === 0;
  }

  next(): number {
    if (this.gain === 0) return 0;
    const sample = this.cycle[this.repeated % this.period]! * this.gain;
    this.repeated += 1;
    this.gain = Math.max(0, this.gain - this.fade);
    return sample;
  }
}

/** The lag at which the end of the samples is most like what came before it. */
function periodOf(samples: Float32Array): number {
  const from = samples.length - COMPARED;
  let [best, likeness] = [MIN_PERIOD, 0];
  for (let lag = MIN_PERIOD; lag <= MAX_PERIOD; lag += 1) {
    let [product, energy] = [0, 1e-9];
    for (let at = from; at < samples.length; at += 1) {
      const earlier = samples[at - lag]!;
      product += samples[at]! * earlier;
      energy += earlier * earlier;
    }
    const score = product / Math.sqrt(energy);
    if (score > likeness) [best, likeness] = [lag, score];
  }
  return best;
}
