import { isUuid } from '@app/common';
import { ValidateBy } from 'class-validator';
import { must } from './must.js';

export const IsUuidText = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isUuidText', validator: { validate: (value) => typeof value === 'string' && isUuid(value) } },
    { message: must.beUuid },
  );
