import { describe, expect, it } from '@jest/globals';
import { type Bins, binOf, noBins, percentile, valueOf } from './bins.js';

const binsOf = (values: readonly number[]): Bins => {
  const bins = noBins();
  for (const value of values) bins[binOf(value)]! += 1;
  return bins;
};

describe('a histogram', () => {
  it('stands for every value within 3 %', () => {
    for (let ms = 1; ms < 200_000_000; ms = Math.ceil(ms * 1.003)) {
      expect([ms, Math.abs(valueOf(binOf(ms)) / ms - 1) <= 0.0301]).toEqual([ms, true]);
    }
  });

  it('never goes down with the value', () => {
    for (let ms = 0; ms < 5_000; ms++) expect(binOf(ms + 1)).toBeGreaterThanOrEqual(binOf(ms));
  });

  it('finds percentiles by nearest rank', () => {
    const bins = binsOf([0, 100, 200, 300, 400, 500, 600, 700, 800, 10_000]);
    expect(percentile(bins, 0.05)).toBe(0);
    expect(percentile(bins, 0.5)! / 400).toBeCloseTo(1, 1);
    expect(percentile(bins, 0.9)! / 800).toBeCloseTo(1, 1);
    expect(percentile(bins, 0.95)! / 10_000).toBeCloseTo(1, 1);
    expect(percentile(noBins(), 0.5)).toBeNull();
  });
});
