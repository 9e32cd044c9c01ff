import { describe, expect, it } from '@jest/globals';
import { failuresOf, sumOf, totalsLine, totalsOf } from '../../scripts/ci-totals.mjs';
import { summaryOf } from '../../scripts/test-summary.mjs';

describe('the last line of .ci/run', () => {
  it.each([
    [
      'sums tests and faults',
      [0, '5 passed, 0 failed\n'],
      [0, '| row |\n20 passed, 0 failed\n'],
      '25 passed, 0 failed',
    ],
    [
      'adds skipped tests and rows',
      [0, '5 passed, 0 failed, 2 skipped\n'],
      [0, '18 passed, 0 failed, 2 skipped\n'],
      '23 passed, 0 failed, 4 skipped',
    ],
    ['counts a failed row', [0, '5 passed, 0 failed\n'], [1, '19 passed, 1 failed\n'], '24 passed, 1 failed'],
    ['counts a step without totals as a failure', [0, '5 passed, 0 failed\n'], [0, ''], '5 passed, 1 failed'],
    [
      'counts a step that ends with an error as a failure, even if no test failed',
      [1, '5 passed, 0 failed\n'],
      [0, '20 passed, 0 failed\n'],
      '25 passed, 1 failed',
    ],
    [
      'reads the last totals of a step and ignores sentences that contain some',
      [0, '1 passed, 9 failed\n5 passed, 0 failed\nnote: 1 passed, 2 failed\n'],
      [0, '20 passed, 0 failed\r\n'],
      '25 passed, 0 failed',
    ],
  ] as const)('%s', (_title, tests, faults, line) => {
    const totals = [tests, faults].map(([code, output]) => totalsOf({ code, output }));
    expect(totalsLine(sumOf(totals))).toBe(line);
  });
});

describe('what failed in a step of .ci/run', () => {
  it('is its list of failed tests without the lines behind it', () => {
    const { lines } = summaryOf(
      { results: [], problems: [{ title: 'a.spec.ts › adds', message: '\n1 is not 2\n\nat a.ts' }] },
      '/',
    );
    expect(failuresOf(['Failed:', '  an earlier list', '', ...lines, ''].join('\n'))).toEqual([
      '  a.spec.ts › adds',
      '    1 is not 2',
      '    at a.ts',
    ]);
  });

  it('is its failed checks', () => {
    expect(failuresOf('passed: types (3 s)\nFAILED: lint (5 s)\na.ts\n\n4 passed, 1 failed\n')).toEqual([
      'FAILED: lint (5 s)',
    ]);
  });

  it('is nothing after a step that passed', () => {
    expect(failuresOf('passed: types (3 s)\n\n5 passed, 0 failed\n')).toEqual([]);
  });
});
