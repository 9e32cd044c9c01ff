import { type ParsedDestination, parseDestination } from '@app/calls';
import type { FieldErrors } from '@app/common';
import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { isMissing } from '../http/field-validators.js';
import type { ElementErrors } from '../http/validation.js';

export const TRUNK_REQUIRED = 'A trunk is required when calling E.164 phone numbers.';

interface HasDestinations {
  to_number: unknown;
}

const parsedOf = new WeakMap<HasDestinations, ParsedDestination[]>();

const parseAll = (value: unknown): ParsedDestination[] =>
  (Array.isArray(value) ? value : [value]).map((one) => parseDestination(one));

/** The elements of `to_number` (a string or an array), parsed once for the validators and the command of a request. */
export function destinationsOf(dto: HasDestinations): ParsedDestination[] {
  const known = parsedOf.get(dto);
  if (known) return known;
  const parsed = parseAll(dto.to_number);
  parsedOf.set(dto, parsed);
  return parsed;
}

/** Whether `to_number` contains a phone number, which requires a trunk. */
export const needsTrunk = (dto: HasDestinations): boolean => destinationsOf(dto).some(({ kind }) => kind === 'e164');

const isNone = (value: unknown): boolean => isMissing(value) || (Array.isArray(value) && value.length === 0);

const isListOrText = (value: unknown): boolean => typeof value === 'string' || Array.isArray(value);

/** One destination or a list. Each invalid destination has an error under its index, even a single one. */
export function IsDestinations(): PropertyDecorator {
  const context: ElementErrors = { elementErrors };
  return ValidateBy(
    {
      name: 'isDestinations',
      validator: {
        validate: (value: unknown, { object }: ValidationArguments) =>
          isListOrText(value) &&
          !isNone(value) &&
          destinationsOf(object as HasDestinations).every(({ kind }) => kind !== 'wrong'),
        defaultMessage: () => 'Not destinations.',
      },
    },
    { context },
  );
}

function elementErrors(property: string, value: unknown): FieldErrors {
  if (isNone(value)) return { [property]: ['The to number field is required.'] };
  if (!isListOrText(value)) return { [property]: ['The to number field must be a string or an array of strings.'] };
  const parsed = parseAll(value).map((one, index) => [`${property}.${index}`, one] as const);
  return Object.fromEntries(parsed.flatMap(([key, one]) => (one.kind === 'wrong' ? [[key, [one.problem]]] : [])));
}

export const IsE164 = (options: ValidationOptions): PropertyDecorator =>
  ValidateBy({ name: 'isE164', validator: { validate: (value) => parseDestination(value).kind === 'e164' } }, options);

export const MAX_METADATA_BYTES = 16 * 1024;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object small enough for every webhook. */
export const IsMetadata = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMetadata',
    validator: {
      validate: (value: unknown) => isObject(value) && Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES,
      defaultMessage: (args) =>
        isObject(args?.value)
          ? `The metadata field must not be greater than ${MAX_METADATA_BYTES} bytes.`
          : 'The metadata field must be an object.',
    },
  });
