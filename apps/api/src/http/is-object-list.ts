import type { FieldErrors } from '@app/common';
import { ValidateBy } from 'class-validator';
import type { ElementErrors } from './validation.js';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list of JSON objects. ValidateNested alone takes a list inside the list for more of the same. */
export function IsObjectList(): PropertyDecorator {
  const context: ElementErrors = { elementErrors };
  return ValidateBy(
    {
      name: 'isObjectList',
      // class-validator forgets the context of a constraint without a message; the sentences come from the context.
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every(isObject),
        defaultMessage: () => 'Not a list of objects.',
      },
    },
    { context },
  );
}

function elementErrors(property: string, value: unknown): FieldErrors {
  if (!Array.isArray(value)) return { [property]: [`The ${property.replaceAll('_', ' ')} field must be an array.`] };
  const wrong = value.flatMap((item, index) => (isObject(item) ? [] : [`${property}.${index}`]));
  return Object.fromEntries(wrong.map((key) => [key, [`The ${key} field must be an object.`]]));
}
