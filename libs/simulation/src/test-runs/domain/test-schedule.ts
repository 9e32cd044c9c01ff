import { CronExpressionParser } from 'cron-parser';

const MAX_CRON_LENGTH = 100;

/** The error of a cron expression, as a sentence; undefined if it is valid. */
export function cronProblem(cron: string): string | undefined {
  // The parser also accepts seconds, names like @daily and random values (H).
  const hasFiveFields = /^\s*(?:[\w*,/#-]+\s+){4}[\w*,/#-]+\s*$/.test(cron) && !/(?:^|[\s,])h(?![a-z])/i.test(cron);
  const minutes = hasFiveFields && cron.length <= MAX_CRON_LENGTH ? minutesOf(cron) : undefined;
  if (minutes === undefined)
    return 'The cron field must be a cron expression with five fields that is due at some time.';
  return minutes > 1 ? 'The cron field must not be due more often than once an hour.' : undefined;
}

/** The minutes of an hour at which the expression is due. Undefined: it is invalid, or never due (30 February). */
function minutesOf(cron: string): number | undefined {
  try {
    const expression = CronExpressionParser.parse(cron, { tz: 'UTC' });
    expression.next();
    return expression.fields.minute.values.length;
  } catch {
    return undefined;
  }
}

/** The first time after `now` by the clocks of the time zone. */
export const nextTime = (cron: string, timeZone: string, now: Date): Date =>
  CronExpressionParser.parse(cron, { tz: timeZone, currentDate: now }).next().toDate();
