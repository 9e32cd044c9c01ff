import { ValidateBy, type ValidationOptions } from 'class-validator';

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
// A `+` that was not escaped in the URL arrives as a space.
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+ -]\d\d:?\d\d)?$/i;
const LAST_MS = 86_400_000 - 1;

/**
 * Parses an ISO 8601 date or time, UTC when it has no offset. Undefined when `text` is neither.
 * `edge` of a date: its first or its last millisecond.
 */
export function parseDateOrTime(text: string, edge: 'start' | 'end'): Date | undefined {
  const day = DATE.test(text) ? utcDay(text) : undefined;
  if (day) return edge === 'start' ? day : new Date(day.getTime() + LAST_MS);
  const [, date, clock, offset = 'Z'] = TIME.exec(text) ?? [];
  if (!date || !clock || !utcDay(date)) return undefined;
  const zone = offset
    .toUpperCase()
    .replace(' ', '+')
    .replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const moment = new Date(`${date}T${clock.replace(',', '.')}${zone}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Undefined for 30 February, which Date would read as a day in March. */
function utcDay(date: string): Date | undefined {
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date) ? undefined : day;
}

export const IsDateOrTime = (options: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isDateOrTime',
      validator: { validate: (value) => typeof value === 'string' && parseDateOrTime(value, 'start') !== undefined },
    },
    options,
  );
