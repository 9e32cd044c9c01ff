import { expect, it } from '@jest/globals';
import { isEnough } from './repeated-simulations.service.js';

it.each([
  [3, 3, 1, true],
  [2, 3, 1, false],
  // 2.4 of 3: only three are that many.
  [2, 3, 0.8, false],
  [3, 3, 0.8, true],
  [4, 5, 0.8, true],
  [3, 5, 0.8, false],
  // 0.7 * 10 is 7.000000000000001.
  [7, 10, 0.7, true],
  [6, 10, 0.7, false],
  [1, 2, 0.5, true],
  [0, 2, 0.5, false],
])('%i passes of %i conversations are enough for a rate of %d: %s', (passes, all, rate, enough) => {
  expect(isEnough(passes, all, rate)).toBe(enough);
});
