import { describe, expect, it } from '@jest/globals';
import { affordableSeconds } from './call-budget.js';

describe('a call may last', () => {
  it.each([
    ['as long as the agent talks', 1_000_000, 500, 600, 600],
    ['as long as it can be paid', 100_000, 500, 600, 200],
    ['not at all when that is a few seconds', 7_000, 500, 600, 0],
    ['a few seconds when the agent never talks longer', 7_000, 500, 10, 10],
    ['for 15 seconds', 7_500, 500, 600, 15],
    ['not at all when all is spent', 0, 500, 600, 0],
    ['not at all when all is spent, even for nothing', 0, 0, 600, 0],
    ['not at all when more than all is spent, even for nothing', -1, 0, 600, 0],
    ['as long as it likes when it costs nothing', 1, 0, 600, 600],
  ])('%s', (_name, left, microsPerSecond, longest, seconds) => {
    expect(affordableSeconds(left, microsPerSecond, longest)).toBe(seconds);
  });
});
