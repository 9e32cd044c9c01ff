import { describe, expect, it } from '@jest/globals';
import { alignedResampler, decimator, interpolator, type StreamResampler } from './polyphase.js';

const tone = (hz: number, rate: number, ms = 500): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, i) => 10_000 * Math.sin((2 * Math.PI * hz * i) / rate));

/** Pushed in pieces of this many samples. */
function inPieces(resampler: StreamResampler, samples: Int16Array, size: number): Int16Array {
  const out: number[] = [];
  for (let at = 0; at < samples.length; at += size) out.push(...resampler.push(samples.subarray(at, at + size)));
  return Int16Array.from(out);
}

/** The level of the middle of the signal, relative to the tone above, in dB. */
function levelDb(samples: Int16Array): number {
  const middle = samples.subarray(samples.length / 4, (samples.length * 3) / 4);
  const square = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length;
  return 10 * Math.log10(Math.max(square, 1e-9) / (10_000 * 10_000 * 0.5));
}

describe('streamed resampling', () => {
  it.each([
    ['8 to 16 kHz', () => interpolator(2), 8_000, 2],
    ['24 to 8 kHz', () => decimator(3), 24_000, 1 / 3],
  ] as const)('%s keeps the length and is independent of the pieces', (_, open, rate, ratio) => {
    const input = tone(1_000, rate);
    const whole = open().push(input);
    expect(whole).toHaveLength(input.length * ratio);
    for (const size of [1, 7, 160, 481, 3_000]) expect(inPieces(open(), input, size)).toEqual(whole);
  });

  it.each([300, 1_000, 3_000, 3_400])('a tone of %d Hz keeps its level within half a decibel', (hz) => {
    expect(Math.abs(levelDb(interpolator(2).push(tone(hz, 8_000))))).toBeLessThan(0.5);
    expect(Math.abs(levelDb(decimator(3).push(tone(hz, 24_000))))).toBeLessThan(0.5);
  });

  it('sound above the telephone band is removed, not folded back', () => {
    for (const hz of [5_000, 7_000, 11_000]) expect(levelDb(decimator(3).push(tone(hz, 24_000)))).toBeLessThan(-50);
  });

  it('no image of a tone appears above 4 kHz', () => {
    const out = interpolator(2).push(tone(3_000, 8_000));
    const expected = tone(3_000, 16_000);
    let error = Infinity;
    for (let delay = 44; delay < 52; delay += 0.5) {
      const shifted = Int16Array.from(
        expected,
        (_sample, i) => 10_000 * Math.sin((2 * Math.PI * 3_000 * (i - delay)) / 16_000),
      );
      error = Math.min(error, levelDb(out.map((sample, i) => sample - shifted[i]!)));
    }
    expect(error).toBeLessThan(-40);
  });

  it('full scale is clipped, not wrapped', () => {
    const square = Int16Array.from({ length: 2_400 }, (_, i) => (i % 240 < 120 ? 32_767 : -32_768));
    const out = decimator(3).push(square);
    for (let i = 1; i < out.length; i++) expect(Math.sign(out[i]!) * Math.sign(square[i * 3]!)).not.toBeNaN();
    expect(Math.max(...out)).toBe(32_767);
    expect(Math.min(...out)).toBe(-32_768);
  });
});

describe('resampling without delay', () => {
  const RATES = [
    [24_000, 8_000],
    [24_000, 16_000],
    [8_000, 16_000],
    [16_000, 8_000],
  ] as const;

  /** The difference to a tone that begins with the input, in dB below the tone. */
  function errorDb(samples: Int16Array, hz: number, rate: number): number {
    const difference = samples.map((sample, i) => sample - 10_000 * Math.sin((2 * Math.PI * hz * i) / rate));
    return levelDb(difference);
  }

  it.each(RATES)('%d to %d Hz keeps the duration and the position, in pieces of any length', (rate, wanted) => {
    const input = tone(300, rate, 505);
    for (const size of [1, 7, 160, 481, 100_000]) {
      const resampler = alignedResampler(rate, wanted);
      const pieces = inPieces(resampler, input, size);
      const whole = Int16Array.from([...pieces, ...resampler.end()]);
      expect(whole).toHaveLength((input.length * wanted) / rate);
      // Half a sample at 16 kHz; the filters have no middle sample.
      expect(errorDb(whole, 300, wanted)).toBeLessThan(-24);
    }
  });

  it('has no click where pieces meet', () => {
    const resampler = alignedResampler(24_000, 16_000);
    const input = tone(300, 24_000);
    const whole = Int16Array.from([...inPieces(resampler, input, 97), ...resampler.end()]);
    const steps = whole.map((sample, i) => Math.abs(sample - (whole[i - 1] ?? sample)));
    // The steepest step of the tone itself is 1,180.
    expect(Math.max(...steps.subarray(100, -100))).toBeLessThan(1_250);
  });

  it('a very short sound has its length as well', () => {
    for (const length of [0, 1, 2, 3, 5]) {
      const resampler = alignedResampler(24_000, 16_000);
      const out = [...resampler.push(new Int16Array(length)), ...resampler.end()];
      expect(out).toHaveLength(Math.ceil((length * 2) / 3));
    }
  });

  it('other ratios are refused', () => expect(() => alignedResampler(22_050, 8_000)).toThrow('No resampling'));
});
