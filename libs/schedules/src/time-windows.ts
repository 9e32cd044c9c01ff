import { DateTime } from 'luxon';

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Local times of weekdays. */
export interface TimeWindow {
  days: Weekday[];
  /** `HH:MM`. */
  from: string;
  /** `HH:MM`; `24:00` is the end of the day. A time that is not after `from` is on the following day. */
  to: string;
}

/** When something is open, in local time. */
export interface OpeningTimes {
  /** Empty: always. */
  windows: readonly TimeWindow[];
  /** Local dates on which no window begins, `YYYY-MM-DD`. */
  excludedDates?: readonly string[];
}

export type Openness =
  | { open: true; /** undefined: for ever. */ until: Date | undefined }
  | { open: false; /** undefined: not within the next 400 days. */ opensAt: Date | undefined };

/** Excluded dates of more than a year in a row count as closed for ever. */
const HORIZON_DAYS = 400;

/** Time zones whose windows never overlap count as closed for ever. */
const MOST_ROUNDS = 1_000;

export const isTimeZone = (name: string): boolean => DateTime.local({ zone: name }).isValid;

/** Why a text is not a time of day as windows have it; undefined: it is one. */
export const timeOfDayProblem = (text: string, end: 'from' | 'to'): string | undefined =>
  /^([01]\d|2[0-3]):[0-5]\d$/.test(text) || (end === 'to' && text === '24:00')
    ? undefined
    : 'must be a time of day such as 09:30';

/**
 * Whether `times` are open at a moment in all of the zones, until when, or from when on. A number may belong to several zones: a call is
 * allowed only where it is allowed in each of them. `zones` are IANA names and not empty.
 */
export function opennessAt(times: OpeningTimes, zones: readonly string[], at: Date): Openness {
  if (times.windows.length === 0 && !times.excludedDates?.length) return { open: true, until: undefined };
  let from = at;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const each = zones.map((zone) => opennessIn(times, zone, from));
    const closed = each.filter((one) => !one.open);
    if (closed.some(({ opensAt }) => opensAt === undefined)) return { open: false, opensAt: undefined };
    if (closed.length > 0) {
      from = latest(closed.map(({ opensAt }) => opensAt!));
      continue;
    }
    if (from > at) return { open: false, opensAt: from };
    const ends = each.flatMap((one) => (one.open && one.until ? [one.until] : []));
    return { open: true, until: ends.length > 0 ? earliest(ends) : undefined };
  }
  return { open: false, opensAt: undefined };
}

function opennessIn(times: OpeningTimes, zone: string, at: Date): Openness {
  const now = DateTime.fromJSDate(at, { zone });
  let until: DateTime | undefined;
  // A window of the previous day may end today.
  for (let day = -1; day <= HORIZON_DAYS; day += 1) {
    const date = now.plus({ days: day }).startOf('day');
    for (const [start, end] of intervalsOn(times, date)) {
      if (until) {
        // Windows that touch are one.
        if (start > until) return { open: true, until: until.toJSDate() };
        if (end > until) until = end;
      } else if (start <= now && now < end) until = end;
      else if (start > now) return { open: false, opensAt: start.toJSDate() };
    }
    if (until && date > until) return { open: true, until: until.toJSDate() };
  }
  return until ? { open: true, until: undefined } : { open: false, opensAt: undefined };
}

/** The windows that begin on a local date, in their order. */
function intervalsOn({ windows, excludedDates }: OpeningTimes, date: DateTime): [DateTime, DateTime][] {
  if (excludedDates?.includes(date.toISODate() ?? '')) return [];
  const midnight: [DateTime, DateTime] = [date, date.plus({ days: 1 })];
  if (windows.length === 0) return [midnight];
  const day = WEEKDAYS[date.weekday - 1]!;
  return windows
    .filter(({ days }) => days.includes(day))
    .map(({ from, to }): [DateTime, DateTime] => {
      const end = to === '24:00' ? midnight[1] : timeOn(to > from ? date : midnight[1], to);
      return [timeOn(date, from), end];
    })
    .toSorted(([a], [b]) => a.toMillis() - b.toMillis());
}

/** A time that the change to summer time skips moves on by an hour. */
function timeOn(date: DateTime, time: string): DateTime {
  const [hour, minute] = time.split(':').map(Number);
  return date.set({ hour, minute, second: 0, millisecond: 0 });
}

const latest = (dates: Date[]): Date => new Date(Math.max(...dates.map((date) => date.getTime())));
const earliest = (dates: Date[]): Date => new Date(Math.min(...dates.map((date) => date.getTime())));
