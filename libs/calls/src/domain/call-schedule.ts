import { opennessAt, type TimeWindow, timeZonesOf } from '@app/common/time-windows';
import type { CallSchedule } from './call.js';
import type { Destination } from './destination.js';

/** `not_before` lies at most so far ahead. */
const LATEST_DAYS = 366;
const DAY_MS = 86_400_000;

/** The limits of the time in a request, or of one of its destinations. */
export interface RequestedTime {
  notBefore?: Date;
  /** IANA name; absent: the zones of the number. */
  timeZone?: string;
}

export interface RequestedSchedule extends RequestedTime {
  windows?: TimeWindow[];
  excludedDates?: string[];
}

/** When a call may be dialled. `never`: its windows do not open within 400 days. */
type DialTime = { kind: 'now' } | { kind: 'later'; at: Date } | { kind: 'never' };

/** A destination with limits for its call alone. */
interface ScheduledDestination extends Destination {
  own?: RequestedTime;
}

interface DestinationSchedule {
  /** Undefined: at any time. */
  schedule: CallSchedule | undefined;
  time: DialTime;
}

/** When a call with this schedule may be dialled, from `now` on. */
export function dialTime(schedule: CallSchedule | undefined, now: Date): DialTime {
  if (!schedule) return { kind: 'now' };
  const { not_before: notBefore, windows = [], excluded_dates: excludedDates, time_zones: zones = [] } = schedule;
  const earliest = notBefore === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(notBefore)));
  const found = opennessAt({ windows, excludedDates }, zones, earliest);
  const at = found.open ? earliest : found.opensAt;
  if (at === undefined) return { kind: 'never' };
  return at > now ? { kind: 'later', at } : { kind: 'now' };
}

/** The schedules of the calls of one request, in the order of its destinations. Equal ones are decided once. */
export function schedulesOf(
  requested: RequestedSchedule | undefined,
  destinations: readonly ScheduledDestination[],
  now: Date,
): DestinationSchedule[] {
  const times = new Map<string, DialTime>();
  return destinations.map((destination) => {
    const schedule = scheduleOf(requested, destination);
    if (!schedule) return { schedule, time: { kind: 'now' } };
    const key = JSON.stringify([schedule.not_before, schedule.time_zones]);
    const time = times.get(key) ?? dialTime(schedule, now);
    times.set(key, time);
    return { schedule, time };
  });
}

function scheduleOf(
  requested: RequestedSchedule | undefined,
  destination: ScheduledDestination,
): CallSchedule | undefined {
  const { windows, excludedDates } = requested ?? {};
  const notBefore = destination.own?.notBefore ?? requested?.notBefore;
  const timeZone = destination.own?.timeZone ?? requested?.timeZone;
  const zones = timeZone === undefined ? windows && zonesOf(destination) : [timeZone];
  if (!windows && !notBefore && !zones) return undefined;
  return {
    ...(notBefore && { not_before: notBefore.toISOString() }),
    ...(windows && { windows }),
    ...(excludedDates?.length && { excluded_dates: excludedDates }),
    ...(zones && { time_zones: zones }),
  };
}

/** Of a phone number, also in a SIP URI; empty: unknown. */
function zonesOf({ address }: Destination): string[] {
  const [number = address] = /\+\d{7,15}(?=@)/.exec(address) ?? [];
  return [...timeZonesOf(number)];
}

/** The problems of the schedules of a request, by field. */
export function scheduleProblems(
  requested: RequestedSchedule | undefined,
  destinations: readonly ScheduledDestination[],
  now: Date,
): Map<string, string> {
  const problems = new Map<string, string>();
  const latest = new Date(now.getTime() + LATEST_DAYS * DAY_MS);
  const checkStart = (field: string, start: Date | undefined): void => {
    if (start && start > latest)
      problems.set(field, `The ${nameOf(field)} field must not be more than ${LATEST_DAYS} days ahead.`);
  };
  checkStart('not_before', requested?.notBefore);
  for (const [index, { schedule, time }] of schedulesOf(requested, destinations, now).entries()) {
    const at = destinations[index]?.own ? `to_number.${index}.` : '';
    checkStart(`${at}not_before`, destinations[index]?.own?.notBefore);
    if (time.kind !== 'never') continue;
    const zones = schedule?.time_zones ?? [];
    const zone = `${at}time_zone`;
    if (zones.length > 0) problems.set('window', `The window field never opens in ${listed(zones)} within 400 days.`);
    else
      problems.set(
        zone,
        `The ${nameOf(zone)} field is required with a window: the time zone of the destination is unknown.`,
      );
  }
  return problems;
}

/** Fields of elements have their whole path. */
const nameOf = (field: string): string => (field.includes('.') ? field : field.replaceAll('_', ' '));

const listed = (zones: readonly string[]): string =>
  zones.length > 3
    ? `${zones.slice(0, 3).join(', ')} and ${zones.length - 3} other time zones at once`
    : zones.join(' and ');
