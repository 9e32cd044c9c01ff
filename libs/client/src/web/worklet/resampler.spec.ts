import { describe, expect, it } from '@jest/globals';
import { Resampler } from './resampler.js';

/** The outputs for a sine wave of amplitude 1, without the first ones, in which the filter fills. */
function resampled(from: number, to: number, hertz: number, speedUp = 0): Float32Array {
  const resampler = new Resampler(from, to);
  resampler.speedUp = speedUp;
  const outputs: number[] = [];
  for (let at = 0; at < from / 8; at += 1) {
    resampler.push(Math.sin((2 * Math.PI * hertz * at) / from));
    while (!resampler.isHungry) outputs.push(resampler.pull());
  }
  return Float32Array.from(outputs.slice(outputs.length / 10));
}

const decibels = (samples: Float32Array): number =>
  10 * Math.log10((2 * samples.reduce((sum, sample) => sum + sample * sample, 0)) / samples.length);

/** The level of one frequency, by correlation with sine and cosine. */
function levelAt(samples: Float32Array, rate: number, hertz: number): number {
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, at) => {
    // Hann window, so that other frequencies do not leak in.
    const weight = 1 - Math.cos((2 * Math.PI * at) / samples.length);
    real += sample * weight * Math.cos((2 * Math.PI * hertz * at) / rate);
    imaginary += sample * weight * Math.sin((2 * Math.PI * hertz * at) / rate);
  });
  return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / samples.length);
}

describe('a resampler', () => {
  it.each([
    [48_000, 16_000],
    [44_100, 16_000],
    [16_000, 16_000],
    [16_000, 48_000],
    [16_000, 44_100],
    [96_000, 16_000],
    [8_000, 16_000],
  ])('keeps tones of the pass band from %i to %i Hz within 0.1 dB', (from, to) => {
    for (const share of [0.02, 0.1, 0.25, 0.5, 0.8]) {
      const hertz = (share * Math.min(from, to)) / 2;
      expect([hertz, Math.abs(decibels(resampled(from, to, hertz)))]).toEqual([hertz, expect.closeTo(0, 1)]);
    }
  });

  it.each([
    [48_000, 8_050],
    [48_000, 9_000],
    [48_000, 15_000],
    [48_000, 20_000],
    [44_100, 8_050],
    [44_100, 12_000],
    [44_100, 21_000],
  ])('removes from %i Hz a tone of %i Hz, which 16 kHz cannot carry, by more than 65 dB', (from, hertz) => {
    expect(decibels(resampled(from, 16_000, hertz))).toBeLessThan(-65);
  });

  it.each([
    [48_000, 3_000],
    [44_100, 3_000],
    [44_100, 7_000],
  ])('adds no images above -65 dB when 16 kHz becomes %i Hz', (to, hertz) => {
    const samples = resampled(16_000, to, hertz);
    expect(levelAt(samples, to, hertz)).toBeCloseTo(0, 0);
    expect(levelAt(samples, to, 16_000 - hertz)).toBeLessThan(-65);
  });

  it.each([
    [48_000, 16_000, 0],
    [44_100, 16_000, 0],
    [16_000, 44_100, 0],
    [16_000, 48_000, 0.005],
    [16_000, 48_000, -0.005],
  ])('writes as many samples as the rates say: %i to %i Hz, %f faster', (from, to, speedUp) => {
    const resampler = new Resampler(from, to);
    resampler.speedUp = speedUp;
    let outputs = 0;
    for (let at = 0; at < from; at += 1) {
      resampler.push(0);
      for (; !resampler.isHungry; outputs += 1) resampler.pull();
    }
    expect(Math.abs(outputs - to / (1 + speedUp))).toBeLessThanOrEqual(1);
  });

  it('delays an impulse by its delay', () => {
    const resampler = new Resampler(16_000, 16_000);
    const outputs: number[] = [];
    for (let at = 0; at < 200; at += 1) {
      resampler.push(at === 50 ? 1 : 0);
      outputs.push(resampler.pull());
    }
    expect(outputs.indexOf(Math.max(...outputs))).toBe(50 + resampler.delay);
  });
});
