import { readDestination, toNumbers } from '@app/calls';
import type { FieldErrors } from '@app/common';
import { ValidateBy } from 'class-validator';
import { isMissing } from '../http/validation-messages.js';
import type { ElementErrors } from '../http/validation.js';

export const TRUNK_REQUIRED = 'A trunk is required when calling E.164 phone numbers.';

/** Whether a value of `to_number` holds a number, which only a trunk can reach. */
export const needsTrunk = (value: unknown): boolean =>
  toNumbers(value).some((one) => readDestination(one).kind === 'e164');

const isNone = (value: unknown): boolean => isMissing(value) || (Array.isArray(value) && value.length === 0);

const isListOrText = (value: unknown): boolean => typeof value === 'string' || Array.isArray(value);

/** One destination or a list of them; each wrong one is told under its own index, also when it is the only one. */
export function IsDestinations(): PropertyDecorator {
  const context: ElementErrors = { elementErrors };
  return ValidateBy(
    {
      name: 'isDestinations',
      validator: {
        validate: (value: unknown) =>
          isListOrText(value) &&
          !isNone(value) &&
          toNumbers(value).every((one) => readDestination(one).kind !== 'wrong'),
        defaultMessage: () => 'Not destinations.',
      },
    },
    { context },
  );
}

function elementErrors(property: string, value: unknown): FieldErrors {
  if (isNone(value)) return { [property]: ['The to number field is required.'] };
  if (!isListOrText(value)) return { [property]: ['The to number field must be a string or an array of strings.'] };
  const read = toNumbers(value).map((one, index) => [`${property}.${index}`, readDestination(one)] as const);
  return Object.fromEntries(read.flatMap(([key, one]) => (one.kind === 'wrong' ? [[key, [one.problem]]] : [])));
}
