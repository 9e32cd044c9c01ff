import { isUuid } from '@app/common';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength, NotContains, ValidateBy } from 'class-validator';
import { IsDateOrTime, must } from './field-validators.js';

/** `status=` without a value equals no `status`. */
export const EmptyToUndefined = () => Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

export const IntegerFromText = () =>
  Transform(({ value }: { value: unknown }) => {
    if (value === '') return undefined;
    return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  });

/** One of the given values. */
export const EnumFilter = (values: readonly string[], description: string): PropertyDecorator =>
  applyDecorators(
    IsIn(values, { message: must.beOneOf }),
    IsOptional(),
    EmptyToUndefined(),
    ApiPropertyOptional({ type: 'string', enum: [...values], description }),
  );

/** Removes surrounding white space; blank text equals no text. */
const TrimmedOrUndefined = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() || undefined : value));

/** Search text. */
export const TextFilter = (field: string, maxLength: number, description: string): PropertyDecorator =>
  applyDecorators(
    IsString({ message: must.beText }),
    MaxLength(maxLength, { message: must.beShort(maxLength) }),
    NotContains('\0', { message: `The ${field} field must not contain null characters.` }),
    IsOptional(),
    TrimmedOrUndefined(),
    ApiPropertyOptional({ type: 'string', maxLength, description }),
  );

const IsUuidText = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isUuidText', validator: { validate: (value) => typeof value === 'string' && isUuid(value) } },
    { message: must.beUuid },
  );

/** The records of one call. The description begins with `subject`: `Deliveries`. */
export const CallIdFilter = (subject: string): PropertyDecorator =>
  applyDecorators(
    IsUuidText(),
    IsOptional(),
    EmptyToUndefined(),
    ApiPropertyOptional({ type: 'string', format: 'uuid', description: `${subject} of the call with this ID.` }),
  );

const TimeFilter = (description: string): PropertyDecorator =>
  applyDecorators(
    IsDateOrTime({ message: must.beDate }),
    IsOptional(),
    EmptyToUndefined(),
    ApiPropertyOptional({ type: 'string', description }),
  );

/** The description begins with `subject`: `Calls created`. */
export const FromTimeFilter = (subject: string): PropertyDecorator =>
  TimeFilter(`${subject} at this time or later: ISO 8601, a date (UTC) or a time with \`Z\` or an offset.`);

export const ToTimeFilter = (subject: string): PropertyDecorator =>
  TimeFilter(`${subject} at this time or earlier; a date covers its whole day (UTC).`);
