import type { FieldErrors } from '@app/common';
import { ValidateBy } from 'class-validator';
import type { ElementErrors } from '../http/validation.js';

/** A value of whose parts a function says what is wrong with them, by their paths, which begin with the property. */
export function IsChecked(
  name: string,
  problems: (value: unknown, property: string) => FieldErrors,
): PropertyDecorator {
  const context: ElementErrors = { elementErrors: (property, value) => problems(value, property) };
  return ValidateBy(
    {
      name,
      // class-validator forgets the context of a constraint without a message; the sentences come from the context.
      validator: {
        validate: (value: unknown) => Object.keys(problems(value, '')).length === 0,
        defaultMessage: () => 'Not as it should be.',
      },
    },
    { context },
  );
}
