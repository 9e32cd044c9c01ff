import { describe, expect, it } from '@jest/globals';
import { Downsampler, Upsampler } from './sub-band.js';

const sine = (frequency: number, rate: number): Int16Array =>
  Int16Array.from({ length: rate }, (_, i) => Math.round(20_000 * Math.sin((2 * Math.PI * frequency * i) / rate)));

/** Strength of one frequency in dB below the sine above; the filter's start is left out. */
function strengthDb(pcm: Int16Array, frequency: number, rate: number): number {
  let cosine = 0;
  let sine = 0;
  const from = rate / 10;
  for (let i = from; i < pcm.length; i++) {
    cosine += pcm[i]! * Math.cos((2 * Math.PI * frequency * i) / rate);
    sine += pcm[i]! * Math.sin((2 * Math.PI * frequency * i) / rate);
  }
  return 20 * Math.log10((2 * Math.hypot(cosine, sine)) / (pcm.length - from) / 20_000 + 1e-9);
}

function halved(pcm: Int16Array): Int16Array {
  const half = new Int16Array(pcm.length / 2);
  const halver = new Downsampler();
  for (let at = 0; at < half.length; at += 160) {
    halver.process(pcm.subarray(2 * at, 2 * at + 320), half.subarray(at, at + 160));
  }
  return half;
}

function doubled(pcm: Int16Array): Int16Array {
  const twice = new Int16Array(2 * pcm.length);
  const doubler = new Upsampler();
  for (let at = 0; at < pcm.length; at += 160) {
    doubler.process(pcm.subarray(at, at + 160), twice.subarray(2 * at, 2 * at + 320));
  }
  return twice;
}

describe('from 16 to 8 kHz', () => {
  it.each([300, 1_000, 2_000, 3_000, 3_400])('%i Hz passes unchanged', (frequency) => {
    expect(Math.abs(strengthDb(halved(sine(frequency, 16_000)), frequency, 8_000))).toBeLessThan(0.1);
  });

  it.each([4_600, 5_000, 6_000, 7_500])('%i Hz produces no alias', (frequency) => {
    expect(strengthDb(halved(sine(frequency, 16_000)), 8_000 - frequency, 8_000)).toBeLessThan(-55);
  });
});

describe('from 8 to 16 kHz', () => {
  it.each([300, 1_000, 2_000, 3_000, 3_400])('%i Hz passes unchanged and produces no mirror image', (frequency) => {
    const twice = doubled(sine(frequency, 8_000));
    expect(Math.abs(strengthDb(twice, frequency, 16_000))).toBeLessThan(0.1);
    expect(strengthDb(twice, 8_000 - frequency, 16_000)).toBeLessThan(-55);
  });
});
