import { type FieldErrors, type FieldProblem, withCode } from '@app/common';
import type { RequestedSchedule } from '@app/calls';
import { isTimeZone, timeOfDayProblem, type TimeWindow, WEEKDAYS, type Weekday } from '@app/common/time-windows';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, ValidateNested } from 'class-validator';
import { nullableTime } from '../../http/responses/api-time.js';
import {
  codeOfText,
  IsObjectList,
  isMissing,
  parseTime,
  ValidateParts,
} from '../../http/validation/field-validators.js';

const MAX_WINDOWS = 42;
const MAX_DATES = 400;
const MAX_ZONE = 64;

/** The documentation of `time_zone`. */
export const TIME_ZONE = { type: 'string' as const, maxLength: MAX_ZONE, nullable: true, example: 'Europe/Berlin' };
/** The documentation of `not_before`. */
export const NOT_BEFORE = {
  type: 'string' as const,
  format: 'date-time',
  nullable: true,
  example: '2026-12-01T09:00:00+01:00',
};

const nameOf = (field: string): string => (field.includes('.') ? field : field.replaceAll('_', ' '));

/** The sentence when a value is not a time with an offset. */
export const notBeforeProblem = (field: string, value: unknown): string | undefined =>
  typeof value === 'string' && parseTime(value)
    ? undefined
    : `The ${nameOf(field)} field must be an ISO 8601 time with \`Z\` or an offset, such as 2026-12-01T09:00:00+01:00.`;

/** The sentence when a value is not the name of a time zone. */
export const timeZoneProblem = (field: string, value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_ZONE && isTimeZone(value)
    ? undefined
    : `The ${nameOf(field)} field must be an IANA time zone, such as Europe/Berlin.`;

/** Validates a value with the function, which returns the problem of an invalid one; a sentence is about a text. */
const IsValid = (
  name: string,
  problem: (field: string, value: unknown) => FieldProblem | undefined,
): PropertyDecorator =>
  ValidateParts(name, (value, field): FieldErrors => {
    const found = problem(field, value);
    if (found === undefined) return {};
    return { [field]: [typeof found === 'string' ? withCode(codeOfText(value), found) : found] };
  });

export const IsNotBefore = (): PropertyDecorator => IsValid('isNotBefore', notBeforeProblem);
export const IsTimeZone = (): PropertyDecorator => IsValid('isTimeZone', timeZoneProblem);

const IsTimeOfDay = (end: 'from' | 'to'): PropertyDecorator =>
  IsValid('isTimeOfDay', (field, value) => {
    if (isMissing(value)) return `The ${field} field is required.`;
    const problem = timeOfDayProblem(typeof value === 'string' ? value : '', end);
    return problem && `The ${field} field ${problem}.`;
  });

const isWeekday = (value: unknown): value is Weekday => (WEEKDAYS as readonly unknown[]).includes(value);

/** A list with at most `most` valid elements, and at least one unless it may be empty. */
const IsListOf = (most: number, isValid: (value: unknown) => boolean, what: string, isEmptyAllowed = false) =>
  IsValid('isListOf', (field, value) => {
    if (!Array.isArray(value) || !value.every(isValid))
      return withCode('wrong_type', `The ${field} field must be an array of ${what}.`);
    if (value.length === 0 && !isEmptyAllowed) return withCode('missing', `The ${field} field must not be empty.`);
    return value.length > most
      ? withCode('too_many', `The ${field} field must not have more than ${most} items.`)
      : undefined;
  });

const isDate = (value: unknown): boolean => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
};

/** Local times of weekdays. */
class TimeWindowDto {
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: [...WEEKDAYS] },
    minItems: 1,
    nullable: true,
    description: 'Weekdays on which the window begins. Defaults to all.',
    example: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  })
  @IsOptional()
  @IsListOf(WEEKDAYS.length, isWeekday, `weekdays such as "monday"`)
  days?: Weekday[] | null;

  @ApiProperty({ type: 'string', description: 'Beginning, as local time `HH:MM`.', example: '09:00' })
  @IsTimeOfDay('from')
  from: string;

  @ApiProperty({
    type: 'string',
    description:
      'End, as local time `HH:MM`, not included; `24:00` is the end of the day. A time that is not after `from` is on the following day.',
    example: '17:00',
  })
  @IsTimeOfDay('to')
  to: string;
}

/** When calls may be dialled, in local time. */
export class CallWindowDto {
  @ApiProperty({
    type: [TimeWindowDto],
    minItems: 1,
    maxItems: MAX_WINDOWS,
    description: 'The times at which calls may be dialled: while one of the windows is open.',
  })
  @IsListOf(MAX_WINDOWS, () => true, 'objects')
  @IsObjectList()
  @ValidateNested({ each: true })
  @Type(() => TimeWindowDto)
  windows: TimeWindowDto[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'date' },
    maxItems: MAX_DATES,
    nullable: true,
    description: 'Local dates without calls.',
    example: ['2026-12-25'],
  })
  @IsOptional()
  @IsListOf(MAX_DATES, isDate, 'dates such as 2026-12-25', true)
  excluded_dates?: string[] | null;
}

/** A window of a scheduled call. */
class ScheduleTimesDto implements TimeWindow {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...WEEKDAYS] },
    description: 'Weekdays on which the window begins.',
    example: ['monday'],
  })
  days: Weekday[];

  @ApiProperty({ type: 'string', description: 'Beginning, as local time.', example: '09:00' })
  from: string;

  @ApiProperty({ type: 'string', description: 'End, as local time.', example: '17:00' })
  to: string;
}

class ScheduleWindowDto {
  @ApiProperty({ type: [ScheduleTimesDto], description: 'The times at which the call may be dialled.' })
  windows: ScheduleTimesDto[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', format: 'date' },
    description: 'Local dates without calls.',
    example: ['2026-12-25'],
  })
  excluded_dates: string[];
}

/** The times at which a call may be dialled. */
export class CallScheduleDto {
  @ApiProperty(nullableTime('Earliest time of the call.'))
  not_before: string | null;

  @ApiProperty({ type: ScheduleWindowDto, nullable: true, description: 'Local times of the call. Null: any.' })
  window: ScheduleWindowDto | null;

  @ApiProperty({
    type: [String],
    description: 'IANA time zones of `window`: it must be open in each of them.',
    example: ['Europe/Berlin'],
  })
  time_zones: string[];
}

interface ScheduledDto {
  not_before?: string | null;
  window?: CallWindowDto | null;
  time_zone?: string | null;
}

/** The schedule of a validated request; undefined: none. */
export function requestedSchedule({ not_before, window, time_zone }: ScheduledDto): RequestedSchedule | undefined {
  const notBefore = timeOf(not_before);
  if (!notBefore && !window && !time_zone) return undefined;
  return {
    notBefore,
    timeZone: time_zone ?? undefined,
    windows: window?.windows.map(windowOf),
    excludedDates: window?.excluded_dates ?? undefined,
  };
}

/** The time of a validated `not_before`. */
export const timeOf = (text: string | null | undefined): Date | undefined =>
  typeof text === 'string' ? parseTime(text) : undefined;

const windowOf = ({ days, from, to }: TimeWindowDto): TimeWindow => ({ days: days ?? [...WEEKDAYS], from, to });
