import { ValidateBy } from 'class-validator';

export const MAX_METADATA_BYTES = 16 * 1024;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object that is not too large to travel in every webhook. */
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
