import { describe, expect, it } from '@jest/globals';
import { type ContactLimits, contactRefusal, isExhausted, nextDialTime } from './contact-limits.js';

const limits = (given: Partial<ContactLimits>): ContactLimits => ({
  contact_attempts_per_day: null,
  contact_attempts_per_week: null,
  contact_earliest: null,
  contact_latest: null,
  contact_time_zone: null,
  ...given,
});

describe('the contact hours of an account', () => {
  const hours = limits({ contact_earliest: '08:00', contact_latest: '21:00' });
  it.each([
    ['in the morning of the number', '+12025550100', hours, '2026-12-01T12:59:59Z', '2026-12-01T13:00:00.000Z'],
    ['in the hours of the number', '+12025550100', hours, '2026-12-01T13:00:00Z', undefined],
    ['in the evening of the number', '+12025550100', hours, '2026-12-02T02:00:00Z', '2026-12-02T13:00:00.000Z'],
    [
      'at a number in a SIP URI',
      'sip:+12025550100@a.example',
      hours,
      '2026-12-01T12:00:00Z',
      '2026-12-01T13:00:00.000Z',
    ],
    ['in the night before summer time', '+4930123456', hours, '2026-03-29T00:30:00Z', '2026-03-29T06:00:00.000Z'],
    ['in the night before winter time', '+4930123456', hours, '2026-10-25T00:30:00Z', '2026-10-25T07:00:00.000Z'],
    ['in a zone of half an hour', '+911123456789', hours, '2026-12-01T02:00:00Z', '2026-12-01T02:30:00.000Z'],
    ['without a zone of the number', '+881612345678', hours, '2026-12-01T07:00:00Z', '2026-12-01T08:00:00.000Z'],
    [
      'with the zone of the account',
      '+881612345678',
      { ...hours, contact_time_zone: 'America/New_York' },
      '2026-12-01T08:00:00Z',
      '2026-12-01T13:00:00.000Z',
    ],
    ['of a name', 'sip:alice@a.example', hours, '2026-12-01T03:00:00Z', undefined],
    ['without limits', '+12025550100', limits({}), '2026-12-01T03:00:00Z', undefined],
    ['with a beginning only', '+12025550100', limits({ contact_earliest: '08:00' }), '2026-12-02T02:00:00Z', undefined],
  ])('%s', (_name, number, given, at, until) => {
    const expected = until === undefined ? undefined : { kind: 'later', at: new Date(until) };
    expect(contactRefusal(number, given, new Date(at))).toEqual(expected);
  });
});

it.each([
  [limits({}), 100, 100, false],
  [limits({ contact_attempts_per_day: 3 }), 2, 9, false],
  [limits({ contact_attempts_per_day: 3 }), 3, 3, true],
  [limits({ contact_attempts_per_week: 3 }), 0, 3, true],
])('the limits %j with %i calls in a day and %i in a week are exhausted: %s', (given, day, week, expected) =>
  expect(isExhausted(given, { last_24_hours: day, last_7_days: week })).toBe(expected),
);

describe('a call with windows of its own, in an account with contact hours', () => {
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
  const all = [...weekdays, 'saturday', 'sunday'] as const;
  const hours = limits({ contact_earliest: '08:00', contact_latest: '18:00' });
  it.each([
    [
      'waits for the moment at which both are open',
      [...all],
      '17:00',
      '20:00',
      '2026-12-01T12:00:00.000Z',
      '2026-12-01T16:00:00.000Z',
    ],
    ['waits over the weekend', [...weekdays], '06:00', '09:00', '2026-12-04T12:00:00.000Z', '2026-12-07T07:00:00.000Z'],
    [
      'is dialled at once when both are open',
      [...all],
      '00:00',
      '24:00',
      '2026-12-01T09:00:00.000Z',
      '2026-12-01T09:00:00.000Z',
    ],
    ['is never dialled when they do not overlap', [...all], '19:00', '21:00', '2026-12-01T09:00:00.000Z', undefined],
    [
      'is never dialled when one begins as the other ends',
      [...all],
      '18:00',
      '20:00',
      '2026-12-01T09:00:00.000Z',
      undefined,
    ],
  ])('%s', (_, days, from, to, at, expected) => {
    const schedule = { windows: [{ days: [...days], from, to }], time_zones: ['Europe/Berlin'] };
    const destination = '+4930123456';
    expect(nextDialTime({ schedule, destination, limits: hours }, new Date(at))?.toISOString()).toBe(expected);
  });
});
