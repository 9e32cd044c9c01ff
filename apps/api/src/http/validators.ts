import type { FieldErrors } from '@app/common';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { MAX_RECORD_ID } from './path-params.js';
import type { ElementErrors } from './validation.js';
import { isMissing } from './validation-messages.js';

/**
 * Validates a value with a function that returns the errors of each of its parts by path. Paths begin with `property`; an empty result
 * means that the value is valid.
 */
export function ValidateParts(
  name: string,
  problems: (value: unknown, property: string) => FieldErrors,
): PropertyDecorator {
  const context: ElementErrors = { elementErrors: (property, value) => problems(value, property) };
  return ValidateBy(
    {
      name,
      // class-validator drops the context of a constraint without a message; the sentences come from the context.
      validator: {
        validate: (value: unknown) => Object.keys(problems(value, '')).length === 0,
        defaultMessage: () => 'Invalid.',
      },
    },
    { context },
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list of JSON objects. ValidateNested alone also accepts lists inside the list. */
export const IsObjectList = (): PropertyDecorator =>
  ValidateParts('isObjectList', (value, property) => {
    if (!Array.isArray(value)) return { [property]: [`The ${property.replaceAll('_', ' ')} field must be an array.`] };
    const wrong = value.flatMap((item, index) => (isObject(item) ? [] : [`${property}.${index}`]));
    return Object.fromEntries(wrong.map((key) => [key, [`The ${key} field must be an object.`]]));
  });

/** The id of a record as a JSON integer. An id out of range gets the same message as the id of a missing record. */
export function IsRecordId(options: { missing?: string } & ValidationOptions = {}): PropertyDecorator {
  return ValidateBy({
    name: 'isRecordId',
    validator: {
      validate: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RECORD_ID,
      defaultMessage: (args) => {
        const name = (args?.property ?? '').replaceAll('_', ' ');
        if (isMissing(args?.value)) return options.missing ?? `The ${name} field is required.`;
        return Number.isInteger(args?.value)
          ? `The selected ${name} is invalid.`
          : `The ${name} field must be an integer.`;
      },
    },
  });
}
