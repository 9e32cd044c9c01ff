/** Zero crossings of the low-pass filter on each side, in samples of the lower of the two rates: 64 taps at that rate. */
const CROSSINGS = 32;
/** Kaiser window for 70 dB of stop-band attenuation (Kaiser 1974: 0.1102 (A - 8.7)). */
const BETA = 6.76;
/**
 * Half amplitude at this share of half the lower rate. The transition of the filter is 1.1 kHz wide at 16 kHz: flat up to 6.9 kHz,
 * 70 dB down at 8 kHz, where aliases begin.
 */
const CUTOFF = 0.93;
/** Filter phases between two samples; values between two phases are interpolated, with an error below that of 16-bit samples. */
const PHASES = 256;

/** Changes the sampling rate of a stream by a windowed-sinc filter. The ratio may change slightly while it runs. */
export class Resampler {
  /** Samples on each side of the point between two inputs that an output is computed from. */
  private readonly half: number;
  /** Row `p`: the taps for an output `p / PHASES` after an input. One more row than phases, for the interpolation. */
  private readonly taps: Float32Array;
  private readonly width: number;
  /** The last `width` inputs, twice, so that a window of them is contiguous. */
  private readonly history: Float32Array;
  private newest = 0;
  /** Position of the next output, in inputs after the centre of the window; below 1 when an output is due. */
  private position = 1;
  private step: number;

  constructor(
    readonly from: number,
    readonly to: number,
  ) {
    const scale = Math.min(1, to / from);
    this.half = Math.ceil(CROSSINGS / scale);
    this.width = 2 * this.half;
    this.taps = filterTaps(this.half, scale);
    this.history = new Float32Array(2 * this.width);
    this.step = from / to;
  }

  /** Outputs are late by this many inputs. */
  get delay(): number {
    return this.half;
  }

  /** Consumes `share` more inputs per output than the rates say: 0.001 plays 0.1 % faster. */
  set speedUp(share: number) {
    this.step = (this.from / this.to) * (1 + share);
  }

  /** True when `push` must be called before the next `pull`. */
  get isHungry(): boolean {
    return this.position >= 1;
  }

  push(sample: number): void {
    this.newest = this.newest + 1 === this.width ? 0 : this.newest + 1;
    this.history[this.newest] = sample;
    this.history[this.newest + this.width] = sample;
    this.position -= 1;
  }

  pull(): number {
    const phase = this.position * PHASES;
    const row = Math.floor(phase);
    const share = phase - row;
    const oldest = this.newest + 1 === this.width ? 0 : this.newest + 1;
    let [low, high] = [row * this.width, (row + 1) * this.width];
    let [here, next] = [0, 0];
    for (let at = oldest; at < oldest + this.width; at += 1) {
      const sample = this.history[at]!;
      here += sample * this.taps[low]!;
      next += sample * this.taps[high]!;
      low += 1;
      high += 1;
    }
    this.position += this.step;
    return here + share * (next - here);
  }
}

function filterTaps(half: number, scale: number): Float32Array {
  const width = 2 * half;
  const taps = new Float32Array((PHASES + 1) * width);
  for (let phase = 0; phase <= PHASES; phase += 1) {
    let sum = 0;
    const row = phase * width;
    for (let tap = 0; tap < width; tap += 1) {
      // The window's oldest sample has index 0; the output lies between half - 1 and half.
      const distance = tap - (half - 1) - phase / PHASES;
      const value = sinc(distance * scale * CUTOFF) * kaiser(distance / half);
      taps[row + tap] = value;
      sum += value;
    }
    // Gain 1 for a constant, in every phase.
    for (let tap = 0; tap < width; tap += 1) taps[row + tap]! /= sum;
  }
  return taps;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kaiser = (x: number): number => (Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA));

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
