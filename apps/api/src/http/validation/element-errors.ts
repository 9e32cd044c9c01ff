import type { FieldErrors } from '@app/common';

/** Constraint context: reports the errors of each element of the value. */
export interface ElementErrors {
  elementErrors: (property: string, value: unknown) => FieldErrors;
}
