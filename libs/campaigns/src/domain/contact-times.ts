import { type OpeningTimes, opennessAt, timeZonesOf } from '@app/common/time-windows';
import { dialledNumber } from '@app/accounts';
import { type CallSchedule, contactOpenness, type ContactLimits } from '@app/calls';
import type { CampaignSchedule } from './campaign.js';

type Openness = ReturnType<typeof opennessAt>;

interface LocatedContact {
  to_number: string;
  time_zone: string | null;
}

/** The time zones in all of which a contact may be called: its own, else those of its number, else that of the campaign. */
function zonesOf({ to_number: number, time_zone: zone }: LocatedContact, ofCampaign: string): readonly string[] {
  if (zone !== null) return [zone];
  const e164 = dialledNumber(number);
  const ofNumber = e164 === undefined ? [] : timeZonesOf(e164);
  return ofNumber.length > 0 ? ofNumber : [ofCampaign];
}

/** The opening times of contacts at one moment. Contacts of the same zones share the answer. */
export class ContactTimes {
  private readonly times: OpeningTimes;
  private readonly known = new Map<string, Openness>();

  constructor(
    private readonly schedule: CampaignSchedule,
    private readonly now: Date,
    private readonly limits: ContactLimits,
  ) {
    this.times = { windows: schedule.windows, excludedDates: schedule.excluded_dates };
  }

  /** By the windows of the campaign, and by the contact hours of the account when they are open. */
  opennessOf(contact: LocatedContact): Openness {
    const openness = this.inWindows(contact);
    const number = openness.open ? dialledNumber(contact.to_number) : undefined;
    if (number === undefined) return openness;
    const allowed = contactOpenness(number, this.limits, this.now);
    return allowed.open ? openness : allowed;
  }

  private inWindows(contact: LocatedContact): Openness {
    const zones = zonesOf(contact, this.schedule.time_zone);
    const key = zones.join(' ');
    const openness = this.known.get(key) ?? opennessAt(this.times, zones, this.now);
    this.known.set(key, openness);
    return openness;
  }

  /** What the dialer checks again before the INVITE; undefined: nothing. */
  scheduleOf(contact: LocatedContact): CallSchedule | undefined {
    const { windows, excluded_dates } = this.schedule;
    if (windows.length === 0 && excluded_dates.length === 0) return undefined;
    return { windows, excluded_dates, time_zones: [...zonesOf(contact, this.schedule.time_zone)] };
  }
}
