import { describe, expect, it } from '@jest/globals';
import { dayStart, intervalStarts, rangeOf, zonedTimes } from './intervals.js';

const at = (text: string): number => Date.parse(text);
const MOST = 1_000;

describe('the range of a query', () => {
  const now = new Date('2026-11-23T15:07:12Z');

  it.each([
    [{}, 'UTC', '2026-10-25T00:00Z', '2026-11-24T00:00Z'],
    [{}, 'Europe/Berlin', '2026-10-24T22:00Z', '2026-11-23T23:00Z'],
    [
      { from: { day: '2026-11-01' }, to: { day: '2026-11-01' } },
      'Asia/Kathmandu',
      '2026-10-31T18:15Z',
      '2026-11-01T18:15Z',
    ],
    [
      { from: new Date('2026-11-01T00:07Z'), to: new Date('2026-11-01T00:08Z') },
      'UTC',
      '2026-11-01T00:00Z',
      '2026-11-01T00:15Z',
    ],
    [{ to: { day: '2026-03-29' } }, 'Europe/Berlin', '2026-02-27T23:00Z', '2026-03-29T22:00Z'],
    // The clocks go back to midnight: it occurs twice.
    [
      { from: { day: '2026-11-01' }, to: { day: '2026-11-01' } },
      'America/Havana',
      '2026-11-01T04:00Z',
      '2026-11-02T05:00Z',
    ],
  ])('%j in %s is from %s to %s', (edges, zone, from, to) => {
    expect(rangeOf(edges, zone, now)).toEqual({ from: at(from), to: at(to) });
  });
});

describe('intervals', () => {
  const between = (from: string, to: string, interval: 'hour' | 'day' | 'week' | 'month', zone: string): string[] =>
    zonedTimes(intervalStarts({ from: at(from), to: at(to) }, interval, zone, MOST)!, zone).map((start) =>
      start.slice(0, 22),
    );

  it.each([
    ['a day of 25 hours', '2026-10-25', 'Europe/Berlin', 25],
    ['a day of 23 hours', '2026-03-29', 'Europe/Berlin', 23],
    ['a day of 24.5 hours', '2026-04-05', 'Australia/Lord_Howe', 25],
    ['a day that begins at 1 o’clock', '2026-03-29', 'Asia/Beirut', 23],
  ])('of an hour: %s', (_name, day, zone, hours) => {
    const { from, to } = rangeOf({ from: { day }, to: { day } }, zone);
    expect(intervalStarts({ from, to }, 'hour', zone, MOST)).toHaveLength(hours);
  });

  it('of a week begin on Monday, the first with the range', () => {
    expect(between('2026-11-04T00:00Z', '2026-11-17T00:00Z', 'week', 'UTC')).toEqual([
      '2026-11-04T00:00:00.00',
      '2026-11-09T00:00:00.00',
      '2026-11-16T00:00:00.00',
    ]);
  });

  it('of a month have their own lengths', () => {
    expect(between('2026-01-31T00:00Z', '2026-04-01T00:00Z', 'month', 'UTC')).toHaveLength(3);
  });

  it('are limited in number', () => {
    expect(intervalStarts({ from: 0, to: at('2026-01-01') }, 'day', 'UTC', MOST)).toBeUndefined();
  });

  it('of days contain the beginnings of their moments, in every zone', () => {
    for (const zone of ['America/Havana', 'Asia/Beirut', 'Atlantic/Azores', 'Pacific/Chatham', 'America/St_Johns']) {
      const range = { from: dayStart(at('2026-01-01T12:00Z'), zone), to: at('2027-01-01T12:00Z') };
      const starts = intervalStarts(range, 'day', zone, MOST)!;
      for (const [index, start] of starts.slice(0, -1).entries()) {
        const last = starts[index + 1]! - 900_000;
        expect([zone, dayStart(start, zone), dayStart(last, zone)]).toEqual([zone, start, start]);
      }
    }
  });
});
