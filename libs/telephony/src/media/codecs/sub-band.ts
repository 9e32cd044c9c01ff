/** The inverse quantizer of one sub-band: the level of each code, and the change of the scale factor after it. */
export interface BandTables {
  /** Output level in steps of 2^-15 of the scale factor, by code. */
  levels: Int16Array;
  /** Change of the logarithmic scale factor, by code. */
  steps: Int16Array;
  /** Upper limit of the logarithmic scale factor. */
  limit: number;
  /** The scale factor's exponent at the logarithm 0. */
  exponent: number;
  /** The first scale factor. */
  scale: number;
}

const ZEROS = 6;
/** 2048 * 2^(i/32): table 20 of the Recommendation. */
const ANTILOG = Int32Array.from({ length: 32 }, (_, i) => Math.round(2048 * 2 ** (i / 32)));

export const saturate = (value: number): number => (value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value);

const clamp = (value: number, limit: number): number => (value > limit ? limit : value < -limit ? -limit : value);

/**
 * The adaptive part of one G.722 sub-band, the same in encoder and decoder: an inverse quantizer whose scale follows the signal, and
 * a predictor with two poles and six zeros. Integer arithmetic of the Recommendation (§3.5, §3.6); names in capitals are its blocks.
 */
export class SubBand {
  /** The prediction of the next sample. */
  predicted = 0;
  /** DETL or DETH. */
  scale: number;
  private logScale = 0;
  private zeroPart = 0;
  private pole1 = 0;
  private pole2 = 0;
  private readonly zeros = new Int32Array(ZEROS);
  /** Quantized differences, the newest first. */
  private readonly differences = new Int32Array(ZEROS);
  private partial1 = 0;
  private partial2 = 0;
  private reconstructed1 = 0;

  constructor(private readonly tables: BandTables) {
    this.scale = tables.scale;
  }

  /** The quantized difference of `code` (INVQAL, INVQAH). */
  difference(code: number): number {
    return (this.scale * this.tables.levels[code]!) >> 15;
  }

  /** Adapts scale and predictor to the sample of `code`, and predicts the next one. */
  adapt(code: number): void {
    const difference = this.difference(code);
    this.adaptScale(code);
    const partial = saturate(this.zeroPart + difference); // PARREC
    const reconstructed = saturate(this.predicted + difference); // RECONS
    this.adaptPoles(partial);
    this.adaptZeros(difference);
    this.predict(reconstructed);
  }

  /** LOGSCL, SCALEL; LOGSCH, SCALEH. */
  private adaptScale(code: number): void {
    const { steps, limit, exponent } = this.tables;
    const log = ((this.logScale * 127) >> 7) + steps[code]!;
    this.logScale = log < 0 ? 0 : log > limit ? limit : log;
    const shift = exponent - (this.logScale >> 11);
    const antilog = ANTILOG[(this.logScale >> 6) & 31]!;
    this.scale = (shift < 0 ? antilog << -shift : antilog >> shift) << 2;
  }

  /** UPPOL2, UPPOL1. */
  private adaptPoles(partial: number): void {
    const sameAs1 = partial < 0 === this.partial1 < 0;
    const sameAs2 = partial < 0 === this.partial2 < 0;
    const four = saturate(this.pole1 << 2);
    const turned = sameAs1 ? Math.min(32_767, -four) : four;
    const pole2 = clamp((turned >> 7) + (sameAs2 ? 128 : -128) + ((this.pole2 * 32_512) >> 15), 12_288);
    const pole1 = saturate((sameAs1 ? 192 : -192) + ((this.pole1 * 32_640) >> 15));
    this.pole2 = pole2;
    this.pole1 = clamp(pole1, saturate(15_360 - pole2));
    this.partial2 = this.partial1;
    this.partial1 = partial;
  }

  /** UPZERO, and DELAYA for the differences. */
  private adaptZeros(difference: number): void {
    const { zeros, differences } = this;
    const gain = difference === 0 ? 0 : 128;
    for (let i = ZEROS - 1; i >= 0; i--) {
      const step = differences[i]! < 0 === difference < 0 ? gain : -gain;
      zeros[i] = saturate(step + ((zeros[i]! * 32_640) >> 15));
      if (i > 0) differences[i] = differences[i - 1]!;
    }
    differences[0] = difference;
  }

  /** FILTEZ, FILTEP, PREDIC. */
  private predict(reconstructed: number): void {
    const { zeros, differences } = this;
    let zeroPart = 0;
    for (let i = 0; i < ZEROS; i++) zeroPart += (saturate(2 * differences[i]!) * zeros[i]!) >> 15;
    this.zeroPart = saturate(zeroPart);
    const newest = (saturate(2 * reconstructed) * this.pole1) >> 15;
    const before = (saturate(2 * this.reconstructed1) * this.pole2) >> 15;
    this.reconstructed1 = reconstructed;
    this.predicted = saturate(saturate(newest + before) + this.zeroPart);
  }
}

/** The input of a filter: the last samples of a stream, followed by the new ones. */
export class SampleHistory {
  private window: Int16Array;

  constructor(private readonly memory: number) {
    this.window = new Int16Array(memory);
  }

  with(samples: Int16Array): Int16Array {
    const length = this.memory + samples.length;
    if (this.window.length === length) {
      this.window.copyWithin(0, samples.length);
    } else {
      const resized = new Int16Array(length);
      resized.set(this.window.subarray(-this.memory));
      this.window = resized;
    }
    this.window.set(samples, this.memory);
    return this.window;
  }
}

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

/** 16 kHz -> 8 kHz; frequencies above 4 kHz are filtered out first. One instance per stream. Delay: 1.4 ms. */
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
