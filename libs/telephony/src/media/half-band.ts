import { SampleHistory, saturate } from './sub-band.js';

/** Non-zero taps on each side of the centre. */
const SIDES = 12;
/** Kaiser window: measured, 3.4 kHz passes within 0.1 dB and everything from 4.6 kHz on is 60 dB down. */
const BETA = 5.65;

/** A half-band filter is 1/2 in the middle and zero at all other even distances; these are for the distances 1, 3, 5 … */
const TAPS = sideTaps();

function sideTaps(): Float64Array {
  const taps = Float64Array.from({ length: SIDES }, (_, i) => {
    const distance = 2 * i + 1;
    const window = bessel(BETA * Math.sqrt(1 - (distance / (2 * SIDES)) ** 2));
    return ((i % 2 === 0 ? 1 : -1) / distance) * window;
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / (4 * sum));
}

/** Modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** 16 kHz -> 8 kHz; what 8 kHz cannot carry is filtered out first. One instance per stream. Delay: 1.4 ms. */
export class Downsampler {
  private readonly history = new SampleHistory(4 * SIDES);

  /** `samples` has an even length, `halved` half of it. */
  process(samples: Int16Array, halved: Int16Array): void {
    const window = this.history.with(samples);
    for (let n = 0; n < halved.length; n++) {
      const middle = 2 * n + 2 * SIDES + 2;
      let sum = window[middle]! / 2;
      for (let i = 0; i < SIDES; i++) sum += TAPS[i]! * (window[middle - 2 * i - 1]! + window[middle + 2 * i + 1]!);
      halved[n] = saturate(Math.round(sum));
    }
  }
}

/** 8 kHz -> 16 kHz, without the mirror image above 4 kHz. One instance per stream. Delay: 1.5 ms. */
export class Upsampler {
  private readonly history = new SampleHistory(2 * SIDES);

  /** `doubled` has twice the length of `samples`. */
  process(samples: Int16Array, doubled: Int16Array): void {
    const window = this.history.with(samples);
    for (let n = 0; n < samples.length; n++) {
      const middle = n + SIDES;
      let between = 0;
      for (let i = 0; i < SIDES; i++) between += TAPS[i]! * (window[middle - i]! + window[middle + i + 1]!);
      doubled[2 * n] = window[middle]!;
      doubled[2 * n + 1] = saturate(Math.round(2 * between));
    }
  }
}
