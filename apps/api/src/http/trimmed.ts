import { Transform } from 'class-transformer';

/** White space around a name, a sentence or an address came along when it was copied. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
