import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';

/** The empty text that forms and spreadsheets have for nothing is null, as Laravel takes it. */
export const BlankIsNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && value.trim() === '' ? null : value));

/** A value that may be absent, null or blank: all three mean the same. */
export const MayBeLeftOut = (): PropertyDecorator => applyDecorators(IsOptional(), BlankIsNull());
