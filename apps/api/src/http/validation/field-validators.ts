import { isCountry } from '@app/accounts';
import { type ErrorCode, type FieldErrors, kindOfField, noRecord, type ReferencedKind, withCode } from '@app/common';
import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsOptional, ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import type { ElementErrors } from './element-errors.js';
import { FIELD } from './field-name.js';
import { released } from './held-fields.js';
import { MAX_RECORD_ID } from './path-params.js';

type Message = (args: ValidationArguments) => string;

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The code of a value that is not the wanted text. */
export function codeOfText(value: unknown): ErrorCode {
  if (isMissing(value)) return 'missing';
  return typeof value === 'string' ? 'invalid_format' : 'wrong_type';
}

const REQUIRED = `The ${FIELD} field is required.`;

/** A missing field always gets the `is required` message, whichever constraint failed. */
const unlessMissing =
  (sentence: string | Message): Message =>
  (args) => {
    if (isMissing(args.value)) return REQUIRED;
    return typeof sentence === 'string' ? sentence : sentence(args);
  };

const mustBe = (what: string): Message => unlessMissing(`The ${FIELD} field must be ${what}.`);

/** Validation messages in the wording of Laravel, which clients of this API rely on. */
export const must = {
  beText: mustBe('a string'),
  beShort: (max: number): Message => unlessMissing(`The ${FIELD} field must not be greater than ${max} characters.`),
  beInteger: mustBe('an integer'),
  beNumber: mustBe('a number'),
  beTrueOrFalse: mustBe('true or false'),
  beOneOf: unlessMissing(
    ({ property, constraints }) =>
      `The selected ${property.replaceAll('_', ' ')} is invalid. It must be one of: ${listed(constraints)}.`,
  ),
  beBetween: (min: number, max: number): Message => mustBe(`between ${min} and ${max}`),
  beAtLeast: (min: number): Message => mustBe(`at least ${min}`),
  beDate: mustBe('an ISO 8601 date or time'),
  beUuid: mustBe('a valid UUID'),
  beE164: mustBe('a phone number in E.164 format'),
};

const listed = (constraints: unknown[] | undefined): string => {
  const [values] = constraints ?? [];
  return Array.isArray(values) ? values.join(', ') : '';
};

/** Blank text, which forms and spreadsheets send for empty fields, becomes null (as in Laravel). */
export const BlankToNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && value.trim() === '' ? null : value));

/** The value may be absent, null or blank; all three are equivalent. */
export const IsOptionalOrBlank = (): PropertyDecorator => applyDecorators(IsOptional(), BlankToNull());

/** A country of ISO 3166-1 alpha-2 that has phone numbers. */
export const IsCountry = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isCountry', validator: { validate: (value: unknown) => typeof value === 'string' && isCountry(value) } },
    { message: mustBe('a country of ISO 3166-1 alpha-2 such as DE') },
  );

/** Removes surrounding white space. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Keeps free-form JSON exactly as sent: class-transformer drops fields named like a method, such as `toString`. */
export const AsSent = (): PropertyDecorator =>
  Transform(({ obj, key }: TransformFnParams) => released((obj as Record<string, unknown>)[key]));

/**
 * Validates a value with a function that returns its errors by path. Paths begin with `property`; an empty result means that the value
 * is valid.
 */
export function ValidateParts(
  name: string,
  problems: (value: unknown, property: string) => FieldErrors,
): PropertyDecorator {
  const context: ElementErrors = { elementErrors: (property, value) => problems(value, property) };
  return ValidateBy(
    {
      name,
      // class-validator drops the context of a constraint without a message; the messages come from the context.
      validator: {
        validate: (value: unknown) => Object.keys(problems(value, '')).length === 0,
        defaultMessage: () => 'Invalid.',
      },
    },
    { context },
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object. ValidateNested alone also accepts lists. */
export const IsOneObject = (): PropertyDecorator =>
  ValidateParts('isOneObject', (value, property) =>
    isObject(value)
      ? {}
      : { [property]: [withCode('wrong_type', `The ${property.replaceAll('_', ' ')} field must be an object.`)] },
  );

/** A list of JSON objects. ValidateNested alone also accepts lists inside the list. */
export const IsObjectList = (): PropertyDecorator =>
  ValidateParts('isObjectList', (value, property) => {
    if (!Array.isArray(value))
      return { [property]: [withCode('wrong_type', `The ${property.replaceAll('_', ' ')} field must be an array.`)] };
    const wrong = value.flatMap((item, index) => (isObject(item) ? [] : [`${property}.${index}`]));
    return Object.fromEntries(
      wrong.map((key) => [key, [withCode('wrong_type', `The ${key} field must be an object.`)]]),
    );
  });

const isRecordId = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RECORD_ID;

/** A record id as a JSON integer. An id out of range gets the message of a missing record; `kind`: if the name of the field does not say it. */
export function IsRecordId(
  options: { missing?: string; kind?: ReferencedKind } & ValidationOptions = {},
): PropertyDecorator {
  return ValidateBy({
    name: 'isRecordId',
    validator: {
      validate: isRecordId,
      defaultMessage: (args) => {
        const { property = '', value } = args ?? {};
        if (isMissing(value)) return options.missing ?? REQUIRED;
        if (!Number.isInteger(value)) return `The ${FIELD} field must be an integer.`;
        return noRecord(options.kind ?? kindOfField(property), Number(value)).message;
      },
    },
  });
}

/** A list of record ids, at most `most`, as JSON integers; each wrong one has an error under its index. */
export const IsRecordIdList = (most: number): PropertyDecorator =>
  ValidateParts('isRecordIdList', (value, property) => {
    const name = property.replaceAll('_', ' ');
    if (!Array.isArray(value)) return { [property]: [withCode('wrong_type', `The ${name} field must be an array.`)] };
    if (value.length > most)
      return { [property]: [withCode('too_many', `The ${name} field must not have more than ${most} items.`)] };
    const wrong = value.flatMap((id: unknown, index) => {
      if (isRecordId(id)) return [];
      const problem = Number.isInteger(id)
        ? noRecord(kindOfField(property), Number(id))
        : withCode('wrong_type', `The ${property}.${index} field must be an integer.`);
      return [[`${property}.${index}`, [problem]]];
    });
    return Object.fromEntries(wrong) as FieldErrors;
  });

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
// An unescaped `+` in a URL arrives as a space.
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(Z|[+ -]\d\d:?\d\d)?$/i;
const LAST_MS = 86_400_000 - 1;

/**
 * Parses an ISO 8601 date or time, UTC when it has no offset. Undefined when `text` is neither.
 * `edge`: the first or last millisecond of a date.
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

/** Parses an ISO 8601 time with `Z` or an offset. Undefined when `text` is something else. */
export const parseTime = (text: string): Date | undefined =>
  /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? parseDateOrTime(text, 'start') : undefined;

/** Undefined for 30 February, which Date parses as a day in March. */
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
