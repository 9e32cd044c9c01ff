import { type OpeningTimes, opennessAt, timeZonesOf } from '@app/schedules';
import type { CallSchedule } from '@app/calls';
import type { CampaignSchedule } from './campaign.js';

type Openness = ReturnType<typeof opennessAt>;

interface LocatedContact {
  to_number: string;
  time_zone: string | null;
}

const SIP_NUMBER = /^sip:(\+\d{7,15})@/i;

/** The time zones in all of which a contact may be called: its own, else those of its number, else that of the campaign. */
function zonesOf({ to_number: number, time_zone: zone }: LocatedContact, ofCampaign: string): readonly string[] {
  if (zone !== null) return [zone];
  const e164 = number.startsWith('+') ? number : SIP_NUMBER.exec(number)?.[1];
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
  ) {
    this.times = { windows: schedule.windows, excludedDates: schedule.excluded_dates };
  }

  opennessOf(contact: LocatedContact): Openness {
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
