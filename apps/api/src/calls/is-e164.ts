import { readDestination } from '@app/calls';
import { ValidateBy, type ValidationOptions } from 'class-validator';

export const IsE164 = (options: ValidationOptions): PropertyDecorator =>
  ValidateBy({ name: 'isE164', validator: { validate: (value) => readDestination(value).kind === 'e164' } }, options);
