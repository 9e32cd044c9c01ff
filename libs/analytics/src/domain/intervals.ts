import { ZoneClock } from '@app/common/time-windows';

export const INTERVALS = ['none', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** All time zones of today begin their hours at a multiple of it. */
export const QUARTER_MS = 900_000;

/** A calendar day of the time zone, or a moment. */
export type RangeEdge = { day: string } | Date;

export interface TimeRange {
  /** Milliseconds since 1970; `to` is excluded. Multiples of a quarter of an hour. */
  from: number;
  to: number;
}

/** Days of the default range, today included. */
const DEFAULT_DAYS = 30;

const DAY_MS = 86_400_000;
/** Local time differs from UTC by less than it. */
const MAX_OFFSET = 64;

/** The number of the local day of a moment, from 1970-01-01. */
const localDay = (moment: number, clock: ZoneClock): number =>
  Math.floor((moment + clock.at(moment).offsetMs) / DAY_MS);

/**
 * The first moment of a local day, by bisection: a day may begin at 1:00, or twice at midnight, where the clocks change at midnight.
 * A day that a zone left out begins with the next one.
 */
function firstMoment(day: number, clock: ZoneClock): number {
  let [before, after] = [-MAX_OFFSET, MAX_OFFSET];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(day * DAY_MS + middle * QUARTER_MS, clock) >= day) after = middle;
    else before = middle;
  }
  return day * DAY_MS + after * QUARTER_MS;
}

const startOfDate = (date: string, clock: ZoneClock): number =>
  firstMoment(Date.parse(`${date}T00:00Z`) / DAY_MS, clock);

/** The beginning of the day of a moment. */
export const dayStart = (moment: number, zone: string): number => startOfDay(moment, new ZoneClock(zone));

const startOfDay = (moment: number, clock: ZoneClock): number => firstMoment(localDay(moment, clock), clock);

const nextDay = (moment: number, clock: ZoneClock): number => firstMoment(localDay(moment, clock) + 1, clock);

/** A `from` is rounded down and a `to` up to quarters of an hour; a day as `to` is covered whole. Absent: the last 30 days. */
export function rangeOf(
  { from, to }: { from?: RangeEdge; to?: RangeEdge },
  zone: string,
  now: Date = new Date(),
): TimeRange {
  const clock = new ZoneClock(zone);
  const end = to === undefined ? nextDay(now.getTime(), clock) : edgeEnd(to, clock);
  const start = from === undefined ? daysBefore(end, DEFAULT_DAYS, clock) : edgeStart(from, clock);
  return { from: quarterOf(start), to: Math.ceil(end / QUARTER_MS) * QUARTER_MS };
}

const edgeStart = (edge: RangeEdge, clock: ZoneClock): number =>
  edge instanceof Date ? edge.getTime() : startOfDate(edge.day, clock);

const edgeEnd = (edge: RangeEdge, clock: ZoneClock): number =>
  edge instanceof Date ? edge.getTime() : nextDay(startOfDate(edge.day, clock), clock);

/** The beginning of the first of the `days` that end at a moment. */
const daysBefore = (end: number, days: number, clock: ZoneClock): number =>
  firstMoment(localDay(end - 1, clock) - days + 1, clock);

/** The beginnings of the intervals in a range; the first is that of the range. Undefined: there are more than `most`. */
export function intervalStarts(
  { from, to }: TimeRange,
  interval: Interval,
  zone: string,
  most: number,
): number[] | undefined {
  const starts = [from];
  if (interval === 'none') return starts;
  const clock = new ZoneClock(zone);
  for (let start = nextStart(from, interval, clock); start < to; start = nextStart(start, interval, clock)) {
    if (starts.length === most) return undefined;
    starts.push(start);
  }
  return starts;
}

export const HOUR_MS = 3_600_000;

/** The beginning of the interval after the one of a moment. An hour that is repeated when the clocks go back counts as two. */
function nextStart(moment: number, interval: Exclude<Interval, 'none'>, clock: ZoneClock): number {
  if (interval === 'hour') return moment + HOUR_MS - mod(moment + clock.at(moment).offsetMs, HOUR_MS);
  const day = localDay(moment, clock);
  return firstMoment(day + DAYS_LEFT[interval](day), clock);
}

const mod = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/** Days from a day to the beginning of the next interval. */
const DAYS_LEFT: Record<'day' | 'week' | 'month', (day: number) => number> = {
  day: () => 1,
  // 1970-01-01 was a Thursday.
  week: (day) => 7 - mod(day + 3, 7),
  month: (day) => {
    const date = new Date(day * DAY_MS);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / DAY_MS - day;
  },
};

/** The day or month of a moment. */
export function periodOf(moment: number, level: 'day' | 'month', zone: string): TimeRange {
  const clock = new ZoneClock(zone);
  const day = localDay(moment, clock);
  const date = new Date(day * DAY_MS);
  const first = level === 'day' ? day : day - date.getUTCDate() + 1;
  const from = firstMoment(first, clock);
  return { from, to: firstMoment(first + DAYS_LEFT[level](first), clock) };
}

/** The beginning of the first day at or after a moment. */
export function dayStartFrom(moment: number, zone: string): number {
  const clock = new ZoneClock(zone);
  return startOfDay(moment, clock) === moment ? moment : nextDay(moment, clock);
}

export const hourOf = (moment: number): number => Math.floor(moment / HOUR_MS) * HOUR_MS;

export const quarterOf = (moment: number): number => Math.floor(moment / QUARTER_MS) * QUARTER_MS;

/** ISO 8601 with the offset of the zone. `moments`: in the order of time. */
export function zonedTimes(moments: readonly number[], zone: string): string[] {
  const clock = new ZoneClock(zone);
  return moments.map((moment) => {
    const { offsetMs } = clock.at(moment);
    const local = new Date(moment + offsetMs).toISOString().slice(0, -1);
    const difference = new Date(Math.abs(offsetMs)).toISOString().slice(11, 16);
    return `${local}${offsetMs < 0 ? '-' : '+'}${difference}`;
  });
}

/** The beginnings of the days of moments, which come mostly in the order of time. */
export class DayStarts {
  private from = 0;
  private to = 0;

  private readonly clock: ZoneClock;

  constructor(zone: string) {
    this.clock = new ZoneClock(zone);
  }

  /** The end of the last day that was asked for. */
  get end(): number {
    return this.to;
  }

  of(moment: number): number {
    if (moment < this.from || moment >= this.to) {
      this.from = startOfDay(moment, this.clock);
      this.to = nextDay(this.from, this.clock);
    }
    return this.from;
  }
}
