import { ValidateBy, type ValidationOptions } from 'class-validator';
import { isMissing } from './must.js';

const MAX_ID = 2_147_483_647;

/** The id of a record as a JSON integer. One that no record can have is told like one that no record has. */
export function IsRecordId(options: { missing?: string } & ValidationOptions = {}): PropertyDecorator {
  return ValidateBy({
    name: 'isRecordId',
    validator: {
      validate: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_ID,
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
