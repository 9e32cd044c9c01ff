import { describe, expect, it } from '@jest/globals';
import { loudnessOf } from './loudness.js';

describe('a meter', () => {
  it.each([
    [0, 0],
    [0.001, 0],
    [0.1, 0.6],
    [1, 1],
    [1.5, 1],
  ])('shows the amplitude %d as %d', (amplitude, share) => expect(loudnessOf(amplitude)).toBeCloseTo(share, 3));
});
