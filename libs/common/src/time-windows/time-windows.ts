import { ZoneClock } from './zone-offsets.js';

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

/** When something is open, in local time: while the clock on the wall shows a time within a window. */
export interface OpeningTimes {
  /** Empty: always. */
  windows: readonly TimeWindow[];
  /** Local dates that are closed, `YYYY-MM-DD`: no window begins on them, and one of the day before ends at midnight. */
  excludedDates?: readonly string[];
}

type Openness =
  | { open: true; /** undefined: for ever. */ until: Date | undefined }
  | { open: false; /** undefined: not within the next 400 days. */ opensAt: Date | undefined };

/** Milliseconds of a day, [from, to). */
type Span = [from: number, to: number];

const DAY_MS = 86_400_000;
const HORIZON_MS = 400 * DAY_MS;
/** Bounds the search among many short windows in zones that never overlap; a week needs a few. */
const MAX_STEPS = 5_000;
const WHOLE_DAY: readonly Span[] = [[0, DAY_MS]];
const CLOSED: readonly Span[] = [];

/** Why a text is not a time of day as windows have it; undefined: it is one. */
export const timeOfDayProblem = (text: string, end: 'from' | 'to'): string | undefined =>
  /^([01]\d|2[0-3]):[0-5]\d$/.test(text) || (end === 'to' && text === '24:00')
    ? undefined
    : 'must be a time of day such as 09:30';

/**
 * Whether `times` are open at a moment in all of the zones, until when, or from when on. A number may belong to several zones: a call is
 * allowed only where it is allowed in each of them. `zones` are IANA names; without any, only times without limits are open.
 */
export function opennessAt(times: OpeningTimes, zones: readonly string[], at: Date): Openness {
  const days = new OpenDays(times);
  if (days.isAlwaysOpen) return { open: true, until: undefined };
  const clocks = zones.map((zone) => new ZoneClock(zone));
  const start = at.getTime();
  const horizon = start + HORIZON_MS;
  const closed = firstClosed(days, clocks, start);
  if (clocks.length === 0) return { open: false, opensAt: undefined };
  if (closed) return { open: false, opensAt: openingOf(days, clocks, { start, closed, horizon }) };
  const until = Math.min(...clocks.map((clock) => days.nextChange(clock, start, false, horizon)));
  return { open: true, until: until < horizon ? new Date(until) : undefined };
}

const firstClosed = (days: OpenDays, clocks: readonly ZoneClock[], at: number): ZoneClock | undefined =>
  clocks.find((clock) => !days.isOpen(clock, at));

/** Each step goes to the opening of a closed zone, at which another one may be closed. */
function openingOf(
  days: OpenDays,
  clocks: readonly ZoneClock[],
  from: { start: number; closed: ZoneClock; horizon: number },
): Date | undefined {
  let [time, closed]: [number, ZoneClock | undefined] = [from.start, from.closed];
  for (let step = 0; closed && step < MAX_STEPS; step += 1) {
    time = days.nextChange(closed, time, true, from.horizon);
    if (time >= from.horizon) return undefined;
    closed = firstClosed(days, clocks, time);
  }
  return closed ? undefined : new Date(time);
}

/** The open times of each local date. */
class OpenDays {
  /** By weekday from Monday: of the windows that begin on it, and of those that began on the day before. */
  private readonly own: Span[][] = WEEKDAYS.map(() => []);
  private readonly tails: Span[][] = WEEKDAYS.map(() => []);
  private readonly merged = new Map<number, readonly Span[]>();
  private readonly excluded: ReadonlySet<number>;

  constructor({ windows, excludedDates = [] }: OpeningTimes) {
    this.excluded = new Set(excludedDates.map((date) => Date.parse(date) / DAY_MS));
    if (windows.length === 0) for (const spans of this.own) spans.push([0, DAY_MS]);
    for (const { days, from, to } of windows) {
      const [start, end] = [timeOf(from), timeOf(to)];
      for (const name of new Set(days)) {
        const day = WEEKDAYS.indexOf(name);
        this.own[day]!.push([start, end > start ? end : DAY_MS]);
        if (end <= start) this.tails[(day + 1) % 7]!.push([0, end]);
      }
    }
  }

  get isAlwaysOpen(): boolean {
    return this.excluded.size === 0 && WEEKDAYS.every((_, day) => isWhole(this.spansOf(day, true)));
  }

  isOpen(clock: ZoneClock, at: number): boolean {
    const local = at + clock.at(at).offsetMs;
    const date = Math.floor(local / DAY_MS);
    const time = local - date * DAY_MS;
    return this.on(date).some(([from, to]) => from <= time && time < to);
  }

  /** The first moment after `at` at which the zone is (or is no longer) open; `horizon`: none before it. */
  nextChange(clock: ZoneClock, at: number, toOpen: boolean, horizon: number): number {
    let time = at;
    while (time < horizon) {
      const { end, offsetMs } = clock.at(time);
      // Within the span local time passes like UTC.
      for (let date = Math.floor((time + offsetMs) / DAY_MS); date * DAY_MS - offsetMs < end; date += 1) {
        const midnight = date * DAY_MS - offsetMs;
        const found = changeIn(this.on(date), Math.max(time - midnight, 0), toOpen);
        if (found < DAY_MS && midnight + found < end) return midnight + found;
      }
      time = end;
    }
    return horizon;
  }

  /** `date`: days since 1970. */
  private on(date: number): readonly Span[] {
    if (this.excluded.has(date)) return CLOSED;
    // 1 January 1970 was a Thursday.
    return this.spansOf((((date + 3) % 7) + 7) % 7, !this.excluded.has(date - 1));
  }

  private spansOf(weekday: number, withTail: boolean): readonly Span[] {
    const key = weekday + (withTail ? 7 : 0);
    let spans = this.merged.get(key);
    if (!spans) {
      spans = merge([...this.own[weekday]!, ...(withTail ? this.tails[weekday]! : [])]);
      this.merged.set(key, spans);
    }
    return spans;
  }
}

/** The first time of day from `time` on that is (or is not) in one of the spans; the end of the day: none. */
function changeIn(spans: readonly Span[], time: number, toOpen: boolean): number {
  for (const [from, to] of spans) {
    if (to <= time) continue;
    if (toOpen) return Math.max(from, time);
    return from > time ? time : to;
  }
  return toOpen ? DAY_MS : time;
}

/** Spans that overlap or touch are one. */
function merge(spans: Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else if (to > from) merged.push([from, to]);
  }
  return isWhole(merged) ? WHOLE_DAY : merged;
}

const isWhole = ([first]: readonly Span[]): boolean => first?.[0] === 0 && first[1] === DAY_MS;

const timeOf = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))) * 60_000;
