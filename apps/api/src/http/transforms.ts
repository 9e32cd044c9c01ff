import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsOptional } from 'class-validator';

/** Blank text, which forms and spreadsheets send for an empty field, becomes null (as in Laravel). */
export const BlankToNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' && value.trim() === '' ? null : value));

/** A value that may be absent, null or blank: all three mean the same. */
export const IsOptionalOrBlank = (): PropertyDecorator => applyDecorators(IsOptional(), BlankToNull());

/** Removes the white space around a name, a sentence or an address that was copied with it. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Keeps free-form JSON exactly as sent: class-transformer drops fields that are named like a method, such as `toString`. */
export const AsSent = (): PropertyDecorator =>
  Transform(({ obj, key }: TransformFnParams) => (obj as Record<string, unknown>)[key]);
