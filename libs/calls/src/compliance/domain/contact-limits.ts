import { dialledNumber } from '@app/accounts';
import { DateTime, opennessAt, timeZonesOf, WEEKDAYS } from '@app/common/time-windows';
import { dialTime } from '../../domain/call-schedule.js';
import type { CallSchedule } from '../../domain/call.js';
import type { DialDecision } from '../../domain/claim-plan.js';

type Openness = ReturnType<typeof opennessAt>;

/** The account's limits of how often and when a number is called. */
export interface ContactLimits {
  contact_attempts_per_day: number | null;
  contact_attempts_per_week: number | null;
  /** `HH:MM` in the local time of the number. */
  contact_earliest: string | null;
  contact_latest: string | null;
  /** Of numbers whose zone is unknown; null: UTC. */
  contact_time_zone: string | null;
}

/** The dialled calls to a number in the last 24 hours and the last seven days. */
export interface ContactAttempts {
  last_24_hours: number;
  last_7_days: number;
}

/** The time at which a number was checked, where it may be. */
export interface LocalTime {
  time_zone: string;
  /** ISO 8601 with the offset of the zone. */
  local_time: string;
}

/** The zones in all of which a number must be inside the contact hours. */
function contactZones(number: string, { contact_time_zone: fallback }: ContactLimits): readonly string[] {
  const zones = timeZonesOf(number);
  return zones.length > 0 ? zones : [fallback ?? 'UTC'];
}

/** Whether a number may be called at a moment by its local time. */
export function contactOpenness(number: string, limits: ContactLimits, at: Date): Openness {
  const { contact_earliest: earliest, contact_latest: latest } = limits;
  if (earliest === null && latest === null) return { open: true, until: undefined };
  const window = { days: [...WEEKDAYS], from: earliest ?? '00:00', to: latest ?? '24:00' };
  return opennessAt({ windows: [window] }, contactZones(number, limits), at);
}

/** Why a destination must not be called at a moment by its local time; undefined: it may. Destinations that are not numbers have none. */
export function contactRefusal(
  destination: string,
  limits: ContactLimits,
  at: Date,
): Extract<DialDecision, { kind: 'later' | 'refused' }> | undefined {
  const number = dialledNumber(destination);
  const openness = number === undefined ? undefined : contactOpenness(number, limits, at);
  if (!openness || openness.open) return undefined;
  return openness.opensAt ? { kind: 'later', at: openness.opensAt } : { kind: 'refused', cause: 'outside_window' };
}

/** Each step goes to the next opening of one of the two times, mostly a day: more than half a year. */
const MAX_STEPS = 200;

/** When both the windows of a call and the contact hours are open, from a moment on. Undefined: they do not overlap, so it can never be dialled. */
export function nextDialTime(
  { schedule, destination, limits }: { schedule: CallSchedule | undefined; destination: string; limits: ContactLimits },
  from: Date,
): Date | undefined {
  let at = from;
  for (let step = 0; step < MAX_STEPS; step++) {
    const time = dialTime(schedule, at);
    if (time.kind === 'never') return undefined;
    if (time.kind === 'later') at = time.at;
    const refusal = contactRefusal(destination, limits, at);
    if (!refusal) return at;
    if (refusal.kind === 'refused') return undefined;
    at = refusal.at;
  }
  return undefined;
}

/** Whether the number was called as often as the account allows. */
export const isExhausted = (
  { contact_attempts_per_day: perDay, contact_attempts_per_week: perWeek }: ContactLimits,
  { last_24_hours: day, last_7_days: week }: ContactAttempts,
): boolean => (perDay !== null && day >= perDay) || (perWeek !== null && week >= perWeek);

export const localTimes = (number: string, limits: ContactLimits, at: Date): LocalTime[] =>
  contactZones(number, limits).map((zone) => ({
    time_zone: zone,
    local_time: DateTime.fromJSDate(at, { zone }).toISO({ suppressMilliseconds: true }) ?? '',
  }));
