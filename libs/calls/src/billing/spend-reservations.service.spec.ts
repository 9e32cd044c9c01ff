import { describe, expect, it } from '@jest/globals';
import { affordableSeconds } from './spend-reservations.service.js';

describe('the duration that a daily budget allows', () => {
  it.each([
    ['is the limit of the agent when the budget is large', 1_000_000, 500, 600, 600],
    ['is the time that the budget pays for', 100_000, 500, 600, 200],
    ['is zero when the budget pays for a few seconds only', 7_000, 500, 600, 0],
    ['is a few seconds when that is the limit of the agent', 7_000, 500, 10, 10],
    ['is at least 15 seconds', 7_500, 500, 600, 15],
    ['is zero when the budget is spent', 0, 500, 600, 0],
    ['is zero when the budget is spent, for a free call too', 0, 0, 600, 0],
    ['is zero when more than the budget is spent, for a free call too', -1, 0, 600, 0],
    ['is the limit of the agent for a free call', 1, 0, 600, 600],
  ])('%s', (_name, left, microsPerSecond, longest, seconds) => {
    expect(affordableSeconds(left, microsPerSecond, longest)).toBe(seconds);
  });
});
