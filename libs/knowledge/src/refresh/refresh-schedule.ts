import { CronExpressionParser } from 'cron-parser';

/** The difference between a refreshed generation and the one before, in pages. */
export interface RefreshResult {
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  failed: number;
}

const DAY_MS = 86_400_000;
const PERIODS = { daily: DAY_MS, weekly: 7 * DAY_MS };
/** Refreshes of many accounts at the same minute are spread over this time. */
const MAX_JITTER_MS = 5 * 60_000;
const SCHEDULE_LENGTH = 100;

/** The error of a schedule, as a sentence; undefined if it is valid. */
export function scheduleProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'The refresh field must be a string.';
  if (isPeriod(value)) return undefined;
  const minutes = value.length <= SCHEDULE_LENGTH ? minutesOf(value) : undefined;
  if (minutes === undefined) return 'The refresh field must be daily, weekly or a cron expression with five fields.';
  return minutes > 1 ? 'The refresh field must not be more often than once an hour.' : undefined;
}

/**
 * The number of minutes of an hour at which a cron expression is due: with one, it is never due twice within an hour. Undefined if the
 * expression is invalid or never due (30 February).
 */
function minutesOf(cron: string): number | undefined {
  // The parser also accepts seconds, names like @daily and random values (H).
  if (!/^\s*(?:[\w*,/#-]+\s+){4}[\w*,/#-]+\s*$/.test(cron) || /(?:^|[\s,])h(?![a-z])/i.test(cron)) return undefined;
  try {
    const expression = CronExpressionParser.parse(cron, { tz: 'UTC' });
    expression.next();
    return expression.fields.minute.values.length;
  } catch {
    return undefined;
  }
}

const isPeriod = (schedule: string): schedule is keyof typeof PERIODS => Object.hasOwn(PERIODS, schedule);

/** The time of the next refresh after `now`; `random` is 0 to 1. Times of cron expressions are in UTC. */
export function nextRefresh(schedule: string, now: Date, random = Math.random()): Date {
  const base = isPeriod(schedule)
    ? now.getTime() + PERIODS[schedule]
    : CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: now }).next().getTime();
  return new Date(base + random * MAX_JITTER_MS);
}

/** A refresh with less than half of the text or of the pages is not served. */
const MIN_SHARE = 0.5;

export const hasShrunk = (before: number, after: number): boolean => after < before * MIN_SHARE;

export const shrunkTo = (what: 'characters' | 'pages', before: number, after: number): string =>
  `The refreshed content has ${after} ${what} instead of ${before}.`;
