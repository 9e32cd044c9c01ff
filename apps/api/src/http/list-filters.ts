import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength, NotContains } from 'class-validator';
import { IsDateOrTime } from './is-date-or-time.js';
import { IsUuidText } from './is-uuid-text.js';
import { must } from './must.js';

/** `status=` without a value is the same as no `status`. */
export const Given = () => Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value));

export const IntegerText = () =>
  Transform(({ value }: { value: unknown }) => {
    if (value === '') return undefined;
    return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  });

/** One of some words. */
export const OneOf = (values: readonly string[], description: string): PropertyDecorator =>
  applyDecorators(
    IsIn(values, { message: must.beOneOf }),
    IsOptional(),
    Given(),
    ApiPropertyOptional({ type: 'string', enum: [...values], description }),
  );

/** The same of text, without the white space that came along when it was copied. */
const GivenText = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() || undefined : value));

/** Text that is searched for or compared with. */
export const TextFilter = (field: string, maxLength: number, description: string): PropertyDecorator =>
  applyDecorators(
    IsString({ message: must.beText }),
    MaxLength(maxLength, { message: must.beShort(maxLength) }),
    NotContains('\0', { message: `The ${field} field must not contain null characters.` }),
    IsOptional(),
    GivenText(),
    ApiPropertyOptional({ type: 'string', maxLength, description }),
  );

/** `what` belongs to this call: `Deliveries`. */
export const OfCall = (what: string): PropertyDecorator =>
  applyDecorators(
    IsUuidText(),
    IsOptional(),
    Given(),
    ApiPropertyOptional({ type: 'string', format: 'uuid', description: `${what} of this call.` }),
  );

const Moment = (description: string): PropertyDecorator =>
  applyDecorators(
    IsDateOrTime({ message: must.beDate }),
    IsOptional(),
    Given(),
    ApiPropertyOptional({ type: 'string', description }),
  );

/** `what` happened: `Calls created`. */
export const FromTime = (what: string): PropertyDecorator =>
  Moment(`${what} at this time or later: ISO 8601, a date (UTC) or a time with \`Z\` or an offset.`);

export const ToTime = (what: string): PropertyDecorator =>
  Moment(`${what} at this time or earlier; a date covers its whole day (UTC).`);
