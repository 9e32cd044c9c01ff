import { describe, expect, it } from '@jest/globals';
import { endpointAfter, endpointOf, withAttempt, type EndpointHealth, type EndpointReport } from './endpoint-health.js';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const hoursAgo = (hours: number): number => NOW - hours * HOUR;

const health = (given: Partial<EndpointHealth> = {}): EndpointHealth => ({
  failingSince: null,
  lastFailureAt: null,
  lastSuccessAt: null,
  lastStatus: null,
  disabledAt: null,
  disabledReason: null,
  ...given,
});
const failed: EndpointReport = { succeeded: false, failed: true, gone: false, status: 500 };
const succeeded: EndpointReport = { succeeded: true, failed: false, gone: false, status: 204 };

describe('an endpoint', () => {
  it.each<[string, EndpointHealth, EndpointReport, Partial<EndpointHealth>]>([
    [
      'fails first',
      health(),
      failed,
      { failingSince: NOW, lastFailureAt: NOW, lastStatus: 500, disabledAt: null, disabledReason: null },
    ],
    ['does not answer', health({ lastStatus: 503 }), { ...failed, status: null }, { lastStatus: 503 }],
    [
      'fails for 119 hours',
      health({ failingSince: hoursAgo(119), lastFailureAt: hoursAgo(1) }),
      failed,
      { failingSince: hoursAgo(119), disabledReason: null },
    ],
    [
      'fails for 120 hours',
      health({ failingSince: hoursAgo(120), lastFailureAt: hoursAgo(24) }),
      failed,
      { disabledReason: 'failing', disabledAt: NOW },
    ],
    [
      'was left alone for two days',
      health({ failingSince: hoursAgo(200), lastFailureAt: hoursAgo(49) }),
      failed,
      { failingSince: NOW, disabledReason: null },
    ],
    [
      'works again just before',
      health({ failingSince: hoursAgo(130), lastFailureAt: hoursAgo(1) }),
      succeeded,
      { failingSince: null, lastSuccessAt: NOW, disabledReason: null },
    ],
    [
      'works and fails again',
      health({ failingSince: hoursAgo(130), lastFailureAt: hoursAgo(1) }),
      { ...failed, succeeded: true },
      { failingSince: NOW, lastSuccessAt: NOW, disabledReason: null },
    ],
    ['is gone', health(), { ...failed, gone: true, status: 410 }, { disabledReason: 'gone', disabledAt: NOW }],
    [
      'answers although it is disabled',
      health({ disabledAt: hoursAgo(2), disabledReason: 'gone' }),
      succeeded,
      { disabledReason: 'gone', disabledAt: hoursAgo(2), lastSuccessAt: NOW },
    ],
  ])('%s', (_, before, report, after) => expect(endpointAfter(before, report, NOW)).toMatchObject(after));
});

it('a report of several attempts keeps a success, the last outcome and a 410', () => {
  const answered = (status: number) => ({ kind: 'answered', status }) as const;
  const both = withAttempt(withAttempt(undefined, answered(200)), { kind: 'failed' });
  expect(both).toEqual({ succeeded: true, failed: true, gone: false, status: 200 });
  expect(withAttempt(both, answered(204))).toEqual({ succeeded: true, failed: false, gone: false, status: 204 });
  expect(withAttempt(undefined, answered(299))).toMatchObject({ succeeded: true, failed: false });
  expect(withAttempt(undefined, answered(300))).toMatchObject({ succeeded: false, failed: true });
  expect(withAttempt(withAttempt(undefined, answered(410)), answered(200))).toMatchObject({ gone: true });
});

it.each([
  ['https://a.example/hook?x=1', 'https://a.example/hook'],
  ['https://a.example/hook#x?y', 'https://a.example/hook'],
  ['https://a.example', 'https://a.example'],
])('%s belongs to the endpoint %s', (url, endpoint) => expect(endpointOf(url)).toBe(endpoint));
