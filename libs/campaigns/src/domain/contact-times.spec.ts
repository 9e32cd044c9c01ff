import { describe, expect, it } from '@jest/globals';
import type { ContactLimits } from '@app/calls';
import { type CampaignSchedule, CAMPAIGN_DEFAULTS } from './campaign.js';
import { ContactTimes } from './contact-times.js';

const DAYS: CampaignSchedule['windows'][number]['days'] = [
  ...(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const),
];

const schedule: CampaignSchedule = {
  ...CAMPAIGN_DEFAULTS.schedule,
  time_zone: 'Europe/Berlin',
  windows: [{ days: DAYS, from: '09:00', to: '17:00' }],
};

const NO_LIMITS: ContactLimits = {
  contact_attempts_per_day: null,
  contact_attempts_per_week: null,
  contact_earliest: null,
  contact_latest: null,
  contact_time_zone: null,
};

/** `open`, or when it opens. */
function timeOf(
  contact: { to_number?: string; time_zone?: string | null },
  at: string,
  given = schedule,
  limits = NO_LIMITS,
): string {
  const times = new ContactTimes(given, new Date(at), limits);
  const openness = times.opennessOf({ to_number: 'sip:desk@pbx.example', time_zone: null, ...contact });
  return openness.open ? 'open' : (openness.opensAt?.toISOString() ?? 'never');
}

describe('the window of a contact', () => {
  it.each<[string, { to_number?: string; time_zone?: string | null }, string, string]>([
    ['is in its own zone', { to_number: '+4930123', time_zone: 'Asia/Tokyo' }, '2026-11-23T01:00:00Z', 'open'],
    ['else in that of its number', { to_number: '+81312345678' }, '2026-11-23T01:00:00Z', 'open'],
    ['also of a number in a SIP URI', { to_number: 'sip:+81312345678@c.example' }, '2026-11-23T01:00:00Z', 'open'],
    ['else in that of the campaign', {}, '2026-11-23T01:00:00Z', '2026-11-23T08:00:00.000Z'],
    ['in a zone of 30 minutes', { time_zone: 'Asia/Kolkata' }, '2026-11-23T03:29:59Z', '2026-11-23T03:30:00.000Z'],
    ['in a zone of 45 minutes', { time_zone: 'Asia/Kathmandu' }, '2026-11-23T03:14:59Z', '2026-11-23T03:15:00.000Z'],
    ['beyond the date line, east', { time_zone: 'Pacific/Kiritimati' }, '2026-11-22T19:00:00Z', 'open'],
    [
      'beyond the date line, west',
      { time_zone: 'Pacific/Pago_Pago' },
      '2026-11-23T19:59:00Z',
      '2026-11-23T20:00:00.000Z',
    ],
    ['an hour earlier after the change to summer time', {}, '2026-03-29T07:00:00Z', 'open'],
    ['before the change to summer time', {}, '2026-03-28T07:00:00Z', '2026-03-28T08:00:00.000Z'],
    ['an hour later after the change to winter time', {}, '2026-10-25T07:00:00Z', '2026-10-25T08:00:00.000Z'],
    ['before the change to winter time', {}, '2026-10-24T07:00:00Z', 'open'],
    ['in all zones of a number', { to_number: '+34612345678' }, '2026-06-01T07:30:00Z', '2026-06-01T08:00:00.000Z'],
  ])('%s', (_, contact, at, expected) => expect(timeOf(contact, at)).toBe(expected));

  it('has no beginning on excluded dates', () =>
    expect(timeOf({}, '2026-12-25T10:00:00Z', { ...schedule, excluded_dates: ['2026-12-25', '2026-12-26'] })).toBe(
      '2026-12-27T08:00:00.000Z',
    ));

  it('is narrowed by the contact hours of the account, in the zone of the number', () => {
    const limits = { ...NO_LIMITS, contact_earliest: '10:00', contact_latest: '16:00' };
    const number = { to_number: '+4930123' };
    expect(timeOf(number, '2026-11-23T08:30:00Z', schedule, limits)).toBe('2026-11-23T09:00:00.000Z');
    expect(timeOf(number, '2026-11-23T09:30:00Z', schedule, limits)).toBe('open');
    expect(timeOf(number, '2026-11-23T15:30:00Z', schedule, limits)).toBe('2026-11-24T09:00:00.000Z');
    expect(timeOf(number, '2026-11-23T17:30:00Z', schedule, limits)).toBe('2026-11-24T08:00:00.000Z');
  });

  it('is part of the call, so that the dialer checks it again', () => {
    const times = new ContactTimes(schedule, new Date(), NO_LIMITS);
    const { windows } = schedule;
    expect(times.scheduleOf({ to_number: '+4930123', time_zone: null })).toEqual({
      windows,
      excluded_dates: [],
      time_zones: ['Europe/Berlin'],
    });
    const always = new ContactTimes(CAMPAIGN_DEFAULTS.schedule, new Date(), NO_LIMITS);
    expect(always.scheduleOf({ to_number: '+4930123', time_zone: null })).toBeUndefined();
  });
});
