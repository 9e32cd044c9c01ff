import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ZONES_OF_PREFIXES } from './number-time-zones.data.js';
import { timeZonesOf } from './number-time-zones.js';
import { type OpeningTimes, opennessAt, type TimeWindow, WEEKDAYS } from './time-windows.js';
import { isTimeZone } from './zone-offsets.js';
import { fastestOf } from '../../../../test/support/growth.js';

const on = (days: TimeWindow['days'], from: string, to: string): TimeWindow => ({ days, from, to });
const daily = (from: string, to: string): TimeWindow => on([...WEEKDAYS], from, to);
const office: TimeWindow = {
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '09:00',
  to: '17:00',
};

describe('opening times', () => {
  it.each([
    ['inside a window', [office], ['Europe/Berlin'], '2026-11-23T10:00:00Z', 'open until 2026-11-23T16:00:00.000Z'],
    ['before it', [office], ['Europe/Berlin'], '2026-11-23T06:00:00Z', 'closed until 2026-11-23T08:00:00.000Z'],
    ['on Friday evening', [office], ['Europe/Berlin'], '2026-11-27T16:00:00Z', 'closed until 2026-11-30T08:00:00.000Z'],
    ['without windows', [], ['Europe/Berlin'], '2026-11-27T16:00:00Z', 'open until undefined'],
    [
      'where all days are whole',
      [daily('00:00', '24:00')],
      ['Asia/Kathmandu'],
      '2026-11-27T16:00:00Z',
      'open until undefined',
    ],
    [
      'in a window over midnight',
      [daily('22:00', '02:00')],
      ['UTC'],
      '2026-11-27T01:00:00Z',
      'open until 2026-11-27T02:00:00.000Z',
    ],
    [
      'in a zone of 45 minutes',
      [daily('09:00', '17:00')],
      ['Asia/Kathmandu'],
      '2026-11-27T00:00:00Z',
      'closed until 2026-11-27T03:15:00.000Z',
    ],
    [
      'in two zones that overlap',
      [daily('09:00', '17:00')],
      ['America/New_York', 'America/Los_Angeles'],
      '2026-11-23T15:00:00Z',
      'closed until 2026-11-23T17:00:00.000Z',
    ],
    [
      'in two zones that never overlap',
      [daily('09:00', '10:00')],
      ['America/New_York', 'Asia/Tokyo'],
      '2026-11-23T15:00:00Z',
      'closed until undefined',
    ],
    [
      'in the spring, when 02:30 is skipped',
      [daily('02:30', '04:00')],
      ['Europe/Berlin'],
      '2026-03-29T00:00:00Z',
      'closed until 2026-03-29T01:00:00.000Z',
    ],
    [
      'in the spring, when the whole window is skipped',
      [daily('02:15', '02:45')],
      ['Europe/Berlin'],
      '2026-03-29T00:00:00Z',
      'closed until 2026-03-30T00:15:00.000Z',
    ],
    [
      'in the autumn, when 02:30 comes twice',
      [daily('02:30', '04:00')],
      ['Europe/Berlin'],
      '2026-10-25T00:00:00Z',
      'closed until 2026-10-25T00:30:00.000Z',
    ],
    [
      'in the autumn, when the clock returns to a time before the window',
      [daily('02:30', '04:00')],
      ['Europe/Berlin'],
      '2026-10-25T00:45:00Z',
      'open until 2026-10-25T01:00:00.000Z',
    ],
    [
      'in Lord Howe, whose clocks change by half an hour',
      [daily('02:00', '03:00')],
      ['Australia/Lord_Howe'],
      '2026-10-03T15:00:00Z',
      'closed until 2026-10-03T15:30:00.000Z',
    ],
    [
      'in Samoa, which had no 30 December 2011',
      [on(['friday', 'saturday'], '09:00', '10:00')],
      ['Pacific/Apia'],
      '2011-12-30T00:00:00Z',
      'closed until 2011-12-30T19:00:00.000Z',
    ],
    [
      'in Kiritimati, 14 hours ahead',
      [office],
      ['Pacific/Kiritimati'],
      '2026-11-22T18:00:00Z',
      'closed until 2026-11-22T19:00:00.000Z',
    ],
    [
      'in two windows that touch at midnight',
      [daily('20:00', '24:00'), daily('00:00', '01:00')],
      ['UTC'],
      '2026-11-27T21:00:00Z',
      'open until 2026-11-28T01:00:00.000Z',
    ],
    [
      'in windows that overlap',
      [daily('09:00', '12:00'), daily('11:00', '13:00')],
      ['UTC'],
      '2026-11-27T10:00:00Z',
      'open until 2026-11-27T13:00:00.000Z',
    ],
    [
      'on the morning after a day without windows that end on it',
      [on(['sunday'], '22:00', '02:00')],
      ['UTC'],
      '2026-11-27T01:00:00Z',
      'closed until 2026-11-29T22:00:00.000Z',
    ],
  ] as const)('%s', (_, windows, zones, at, expected) => {
    const found = opennessAt({ windows }, zones, new Date(at));
    const until = found.open ? found.until : found.opensAt;
    expect(`${found.open ? 'open' : 'closed'} until ${until?.toISOString()}`).toBe(expected);
  });

  it.each([
    ['a holiday', [office], '2026-12-25T10:00:00Z', 'closed until 2026-12-28T09:00:00.000Z'],
    ['a holiday without windows', [], '2026-12-24T10:00:00Z', 'open until 2026-12-25T00:00:00.000Z'],
    [
      'a window of the evening before',
      [daily('22:00', '02:00')],
      '2026-12-24T23:00:00Z',
      'open until 2026-12-25T00:00:00.000Z',
    ],
    [
      'the morning after the window of a holiday',
      [daily('22:00', '02:00')],
      '2026-12-26T01:00:00Z',
      'closed until 2026-12-26T22:00:00.000Z',
    ],
  ] as const)('excluded dates close %s', (_, windows, at, expected) => {
    const found = opennessAt({ windows, excludedDates: ['2026-12-25'] }, ['UTC'], new Date(at));
    const until = found.open ? found.until : found.opensAt;
    expect(`${found.open ? 'open' : 'closed'} until ${until?.toISOString()}`).toBe(expected);
  });
});

/** All zones that numbers have. */
const ZONES = [
  ...new Set(
    ZONES_OF_PREFIXES.trim()
      .split('\n')
      .flatMap((line) => line.split(': ')[0]!.split(' ')),
  ),
];
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/** What the clock on the wall shows: `2026-11-23 09:15`. */
function wallClock(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return (at) => format.format(at);
}

/** The days on which the clocks of a zone change, in years with unusual changes and in this one. */
function daysOfChanges(clock: (at: number) => string): number[] {
  const isChange = (at: number, ms: number): boolean => clock(at).slice(11) !== clock(at + ms).slice(11);
  const daysOf = (week: number): number[] => Array.from({ length: 7 }, (_, day) => week + day * DAY_MS);
  return [2011, 2014, 2026]
    .flatMap((year) => Array.from({ length: 52 }, (_, week) => Date.UTC(year, 0, 1 + week * 7)))
    .filter((week) => isChange(week, 7 * DAY_MS) || week === Date.UTC(2011, 11, 24))
    .flatMap((week) => daysOf(week).filter((day) => isChange(day, DAY_MS) || day === Date.UTC(2011, 11, 29)));
}

/** By the definition: what the clock on the wall shows. */
function isOpenByTheClock({ windows, excludedDates = [] }: OpeningTimes, shown: string): boolean {
  const [date = '', time = ''] = shown.split(' ');
  const dayBefore = new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
  const has = ({ days }: TimeWindow, day: string): boolean =>
    days.includes(WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7]!);
  if (excludedDates.includes(date)) return false;
  return windows.some((window) => {
    const { from, to } = window;
    if (from < to) return has(window, date) && from <= time && time < to;
    if (has(window, date) && from <= time) return true;
    return has(window, dayBefore) && !excludedDates.includes(dayBefore) && time < to;
  });
}

const quarter = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '45'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);
const window = fc.record({
  days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
  from: quarter,
  to: fc.oneof(quarter, fc.constant('24:00')),
});

it('opening times agree with the clock on the wall, in every zone and around every change of the clocks', () => {
  const clocks = new Map(ZONES.map((zone) => [zone, wallClock(zone)]));
  const moment = fc.record({
    zones: fc.uniqueArray(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 2 }),
    change: fc.nat(),
    quarters: fc.integer({ min: -96, max: 96 }),
    windows: fc.array(window, { minLength: 1, maxLength: 3 }),
    excludedDay: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(moment, ({ zones, change, quarters, windows, excludedDay }) => {
      const days = daysOfChanges(clocks.get(zones[0]!)!);
      const day = days[change % days.length] ?? Date.UTC(2026, 0, change % 365);
      const at = day + quarters * QUARTER_MS;
      const excludedDates =
        excludedDay === undefined ? [] : [new Date(day + excludedDay * DAY_MS).toISOString().slice(0, 10)];
      const times = { windows, excludedDates };
      const found = opennessAt(times, zones, new Date(at));
      const until = (found.open ? found.until : found.opensAt)?.getTime();
      const isOpen = (time: number): boolean => zones.every((zone) => isOpenByTheClock(times, clocks.get(zone)!(time)));
      // Offsets and windows are whole quarters.
      const end = at + 3 * DAY_MS;
      let first = at;
      while (first < end && isOpen(first) === isOpen(at)) first += QUARTER_MS;
      expect([found.open, Math.min(until ?? end, end)]).toEqual([isOpen(at), first]);
    }),
    { numRuns: 400 },
  );
});

it('a decision takes microseconds, and its worst case a few milliseconds', async () => {
  const at = new Date('2026-11-23T20:00:00Z');
  const northAmerica = timeZonesOf('+12');
  expect(northAmerica.length).toBeGreaterThan(20);
  expect(await fastestOf(() => opennessAt({ windows: [office] }, ['Europe/Berlin'], at))).toBeLessThan(1);
  expect(await fastestOf(() => opennessAt({ windows: [office] }, northAmerica, at))).toBeLessThan(50);
  // Many short windows that never overlap in the two zones.
  const short = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')).map((hour) =>
    daily(`${hour}:00`, `${hour}:01`),
  );
  const never = () => opennessAt({ windows: short }, ['UTC', 'Asia/Kathmandu'], at);
  expect(never()).toEqual({ open: false, opensAt: undefined });
  expect(await fastestOf(never)).toBeLessThan(200);
});

it.each([
  ['Europe/Berlin', true],
  ['europe/berlin', true],
  ['UTC', true],
  ['US/Eastern', true],
  ['Asia/Kathmandu', true],
  ['local', false],
  ['+02:00', false],
  ['UTC+2', false],
  ['Europe/Atlantis', false],
  ['', false],
])('%j as the name of a time zone: %s', (name, expected) => expect(isTimeZone(name)).toBe(expected));
