import { describe, expect, it } from '@jest/globals';
import { type TimeWindow, WEEKDAYS } from '@app/common/time-windows';
import { dialTime, type RequestedSchedule, scheduleProblems, schedulesOf } from './call-schedule.js';
import type { Destination } from './destination.js';

/** A Monday. */
const NOW = new Date('2026-11-23T12:00:00Z');
const daily = (from: string, to: string): TimeWindow => ({ days: [...WEEKDAYS], from, to });
const office = [daily('09:00', '17:00')];
const berlin: Destination = { kind: 'e164', address: '+4930123456' };
const sip: Destination = { kind: 'sip', address: 'sip:ada@example.com' };

describe('a call may be dialled', () => {
  const shown = (time: ReturnType<typeof dialTime>): string =>
    time.kind === 'later' ? time.at.toISOString() : time.kind;

  it.each([
    ['at once without a schedule', undefined, 'now'],
    ['at once after its earliest time', { not_before: '2026-11-23T11:59:59Z' }, 'now'],
    ['from its earliest time on', { not_before: '2026-11-24T08:00:00.000Z' }, '2026-11-24T08:00:00.000Z'],
    ['at once within its window', { windows: office, time_zones: ['UTC'] }, 'now'],
    ['when its window opens', { windows: office, time_zones: ['Asia/Tokyo'] }, '2026-11-24T00:00:00.000Z'],
    [
      'when its window opens after its earliest time',
      { windows: office, time_zones: ['UTC'], not_before: '2026-11-25T20:00:00Z' },
      '2026-11-26T09:00:00.000Z',
    ],
    [
      'at its earliest time within the window',
      { windows: office, time_zones: ['UTC'], not_before: '2026-11-25T10:30:00Z' },
      '2026-11-25T10:30:00.000Z',
    ],
    [
      'after excluded dates',
      { windows: office, time_zones: ['UTC'], excluded_dates: ['2026-11-23', '2026-11-24'] },
      '2026-11-25T09:00:00.000Z',
    ],
    [
      'never, when its zones are never open together',
      { windows: [daily('09:00', '10:00')], time_zones: ['UTC', 'Asia/Tokyo'] },
      'never',
    ],
  ])('%s', (_, schedule, expected) => expect(shown(dialTime(schedule, NOW))).toBe(expected));
});

it('a number is called in its own time zones, unless the request or the destination names one', () => {
  const requested: RequestedSchedule = { windows: office };
  const zones = (request: RequestedSchedule, ...destinations: (Destination & { own?: RequestedSchedule })[]) =>
    schedulesOf(request, destinations, NOW).map(({ schedule }) => schedule?.time_zones);
  expect(zones(requested, berlin, { kind: 'sip', address: 'sip:+14155550100@carrier.example' })).toEqual([
    ['Europe/Berlin'],
    ['America/Los_Angeles'],
  ]);
  expect(zones({ ...requested, timeZone: 'UTC' }, berlin, { ...berlin, own: { timeZone: 'Asia/Tokyo' } })).toEqual([
    ['UTC'],
    ['Asia/Tokyo'],
  ]);
  // Without a window no zone matters.
  expect(zones({ notBefore: NOW }, berlin)).toEqual([undefined]);
  expect(schedulesOf(undefined, [berlin, { ...berlin, own: {} }], NOW)).toEqual(
    Array(2).fill({ schedule: undefined, time: { kind: 'now' } }),
  );
});

describe('a schedule is refused', () => {
  const farAhead = new Date('2027-11-25T00:00:00Z');
  it.each<
    [string, RequestedSchedule | undefined, (Destination & { own?: RequestedSchedule })[], Record<string, unknown>]
  >([
    ['more than 366 days ahead', { notBefore: farAhead }, [berlin], { not_before: expect.stringMatching(/366 days/) }],
    [
      'more than 366 days ahead, for one destination',
      undefined,
      [berlin, { ...berlin, own: { notBefore: farAhead } }],
      { 'to_number.1.not_before': expect.stringMatching(/^The to_number\.1\.not_before field .*366 days/) },
    ],
    [
      'with a window for a SIP URI without a time zone',
      { windows: office },
      [berlin, sip],
      { time_zone: expect.stringMatching(/^The time zone field is required/) },
    ],
    [
      'with a window for a toll-free number without a time zone',
      { windows: office },
      [{ ...berlin, address: '+18005550100', own: {} }],
      { 'to_number.0.time_zone': expect.stringMatching(/is required/) },
    ],
    [
      'that never opens in the zones of a number',
      { windows: [daily('09:00', '09:30')] },
      [{ ...berlin, address: '+61891234567' }],
      { window: 'The window field never opens in Australia/Adelaide and Australia/Perth within 400 days.' },
    ],
  ])('%s', (_, requested, destinations, expected) =>
    expect(Object.fromEntries(scheduleProblems(requested, destinations, NOW))).toEqual(expected),
  );
});
