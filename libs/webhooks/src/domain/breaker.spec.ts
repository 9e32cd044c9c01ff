import { describe, expect, it } from '@jest/globals';
import { breakerAfter, hostFailed, type Breaker, type HostReport } from './breaker.js';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const closed = (requests = 0, failures = 0, agedMs = 0): Breaker => ({
  windowStartedAt: NOW - agedMs,
  requests,
  failures,
  openUntil: null,
  openCount: 0,
  probeUntil: null,
});
const open = (openCount: number, openUntil = NOW): Breaker => ({ ...closed(), openUntil, openCount });

/** `closed`, or for how many seconds it is open. */
const stateOf = ({ openUntil }: Breaker) => (openUntil === null ? 'closed' : (openUntil - NOW) / 1_000);

describe('a breaker', () => {
  it.each<[string, Breaker, HostReport, string | number]>([
    ['9 requests are too few', closed(), { requests: 9, failures: 9 }, 'closed'],
    ['10 requests are enough', closed(), { requests: 10, failures: 10 }, 30],
    ['7 of 10', closed(), { requests: 10, failures: 7 }, 30],
    ['6 of 10', closed(), { requests: 10, failures: 6 }, 'closed'],
    ['with the failures of other dispatchers', closed(9, 6), { requests: 1, failures: 1 }, 30],
    [
      'failures of other dispatchers 5 minutes ago do not count',
      closed(9, 9, 5 * MINUTE),
      { requests: 9, failures: 9 },
      'closed',
    ],
    [
      'failures of other dispatchers in the last 5 minutes count',
      closed(9, 9, 5 * MINUTE - 1),
      { requests: 1, failures: 1 },
      30,
    ],
    ['late failures do not prolong it', open(1, NOW + 5_000), { requests: 40, failures: 40 }, 5],
    ['late successes do not close it', open(1, NOW + 5_000), { requests: 4, failures: 0 }, 5],
    ['a probe that fails doubles the time', open(1), { requests: 1, failures: 1, probe: 'failed' }, 60],
    ['the next failed probe doubles it again', open(2), { requests: 1, failures: 1, probe: 'failed' }, 120],
    ['10 minutes at most', open(5), { requests: 1, failures: 1, probe: 'failed' }, 600],
    ['10 minutes at most after many failed probes', open(40), { requests: 1, failures: 1, probe: 'failed' }, 600],
    ['a probe that succeeds closes it', open(5), { requests: 1, failures: 0, probe: 'ok' }, 'closed'],
    ['a probe without a request changes nothing', open(3), { requests: 0, failures: 0, probe: 'unused' }, 0],
  ])('opens and closes by its rules: %s', (_, breaker, report, state) =>
    expect(stateOf(breakerAfter(breaker, report, NOW))).toBe(state),
  );

  it('is open for twice as long after every probe that fails', () => {
    const first = breakerAfter(closed(), { requests: 10, failures: 10 }, NOW);
    const second = breakerAfter(first, { requests: 1, failures: 1, probe: 'failed' }, NOW);
    const third = breakerAfter(second, { requests: 1, failures: 1, probe: 'failed' }, NOW);
    expect([first, second, third].map(stateOf)).toEqual([30, 60, 120]);
  });

  it('starts with 30 s and no counted requests after it was closed', () => {
    const again = breakerAfter(open(5), { requests: 1, failures: 0, probe: 'ok' }, NOW);
    expect(again).toMatchObject({ requests: 1, failures: 0, openCount: 0 });
    expect(stateOf(breakerAfter(again, { requests: 30, failures: 30 }, NOW))).toBe(30);
  });

  it('allows the next probe when a probe was not used', () => {
    const probing = { ...open(1), probeUntil: NOW + 10_000 };
    expect(breakerAfter(probing, { requests: 0, failures: 0, probe: 'unused' }, NOW).probeUntil).toBeNull();
  });
});

it.each<[number, boolean]>([
  [200, false],
  [302, false],
  [404, false],
  [410, false],
  [429, true],
  [500, true],
  [503, true],
])('a host that answers %d has failed: %s', (status, failed) =>
  expect(hostFailed({ kind: 'answered', status })).toBe(failed),
);

it('a host without an answer has failed; a host without a request has neither failed nor worked', () => {
  expect(hostFailed({ kind: 'failed' })).toBe(true);
  expect(hostFailed({ kind: 'refused' })).toBeUndefined();
});
