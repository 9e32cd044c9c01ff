import {
  CONTENT_LENGTH,
  crawlProblems,
  FILE_TYPES,
  scheduleProblem,
  SOURCE_TYPES,
  type SourceType,
} from '@app/knowledge';
import { applyDecorators } from '@nestjs/common';
import { IsOptional, ValidateBy, type ValidationArguments } from 'class-validator';
import { AsSent, ValidateParts } from '../http/validation/field-validators.js';
import { UploadedFile } from '../http/uploads/staged-file.js';

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/**
 * A field that one source type requires and the others prohibit. `problem` returns the error message of a given value.
 */
export function IsSourceField(
  sourceType: SourceType,
  problem: (value: unknown) => string | undefined,
): PropertyDecorator {
  const sentence = ({ value, object, property }: ValidationArguments): string | undefined => {
    const { source_type: given } = object as { source_type?: unknown };
    const name = property.replaceAll('_', ' ');
    if (given === sourceType) {
      if (isBlank(value)) return `The ${name} field is required when source type is ${sourceType}.`;
      return problem(value);
    }
    if (isBlank(value) || !SOURCE_TYPES.some((known) => known === given)) return undefined;
    return `The ${name} field is prohibited unless source type is ${sourceType}.`;
  };
  return ValidateBy({
    name: 'isSourceField',
    validator: {
      validate: (_value: unknown, args) => args === undefined || sentence(args) === undefined,
      defaultMessage: (args) => (args && sentence(args)) ?? '',
    },
  });
}

/** The error message of a knowledge base text; undefined if it is valid. */
export function contentProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'The content field must be a string.';
  // In UTF-16 units: counting characters would require a pass over the text.
  if (value.length > CONTENT_LENGTH) {
    const most = CONTENT_LENGTH.toLocaleString('en-US');
    return `The content field must not be greater than ${most} characters. Upload a longer text as a file.`;
  }
  return value.includes('\0') ? 'The content field must not contain null characters.' : undefined;
}

export function fileProblem(value: unknown): string | undefined {
  if (!(value instanceof UploadedFile)) return 'The file field must be a file, sent as multipart/form-data.';
  if (value.type === undefined) {
    return `The file field must be a file of type: ${FILE_TYPES.join(', ')}.`;
  }
  return value.bytes === 0 ? 'The file field must not be an empty file.' : undefined;
}

/** The host of the address is checked later against the egress rules of the installation. */
export const addressProblem = (value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : 'The source reference field must be a string.';

/** In an update, the source type is unknown here; the service checks it. */
const IsOfUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'isOfUrl',
    validator: {
      validate: (_value: unknown, args) => {
        const { source_type: given } = (args?.object ?? {}) as { source_type?: unknown };
        return given === 'url' || !SOURCE_TYPES.some((known) => known === given);
      },
      defaultMessage: (args) => `The ${args?.property} field is prohibited unless source type is url.`,
    },
  });

/** Settings of a crawl; null and absent: none. */
export const IsCrawl = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    AsSent(),
    IsOfUrl(),
    ValidateParts('isCrawl', (value, property) => crawlProblems(value, property)),
  );

/** A refresh schedule; null and absent: none. */
export const IsRefresh = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsOfUrl(),
    ValidateBy({
      name: 'isRefresh',
      validator: {
        validate: (value: unknown) => scheduleProblem(value) === undefined,
        defaultMessage: (args) => scheduleProblem(args?.value) ?? '',
      },
    }),
  );
