import { describe, expect, it } from '@jest/globals';
import { opennessAt, type TimeWindow, WEEKDAYS } from './time-windows.js';

const daily = (from: string, to: string): TimeWindow => ({ days: [...WEEKDAYS], from, to });
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
      'closed until 2026-03-29T01:30:00.000Z',
    ],
    [
      'in the autumn, when 02:30 comes twice',
      [daily('02:30', '04:00')],
      ['Europe/Berlin'],
      '2026-10-25T00:00:00Z',
      'closed until 2026-10-25T00:30:00.000Z',
    ],
  ] as const)('%s', (_, windows, zones, at, expected) => {
    const found = opennessAt({ windows }, zones, new Date(at));
    const until = found.open ? found.until : found.opensAt;
    expect(`${found.open ? 'open' : 'closed'} until ${until?.toISOString()}`).toBe(expected);
  });

  it('do not begin on excluded dates', () =>
    expect(
      opennessAt({ windows: [office], excludedDates: ['2026-12-25'] }, ['UTC'], new Date('2026-12-25T10:00:00Z')),
    ).toEqual({
      open: false,
      opensAt: new Date('2026-12-28T09:00:00Z'),
    }));
});
