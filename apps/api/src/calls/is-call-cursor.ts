import { readCursor } from '@app/database';
import { ValidateBy } from 'class-validator';

export const IsCallCursor = (): PropertyDecorator =>
  ValidateBy({
    name: 'isCallCursor',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && readCursor(value) !== undefined,
      defaultMessage: () => 'The cursor field must be a cursor of an earlier answer.',
    },
  });
