import type { ValidationError } from 'class-validator';

/** Constraint context: the texts of invalid phone numbers by their fields. */
export interface WrittenNumbers {
  writtenNumbers: (property: string, value: unknown) => Record<string, string>;
}

const numbersOf = new WeakMap<object, Readonly<Record<string, string>>>();

/** Keeps for the response which texts are not phone numbers, by their fields. */
export function withWrittenNumbers<E extends Error>(error: E, numbers: Readonly<Record<string, string>>): E {
  if (Object.keys(numbers).length > 0) numbersOf.set(error, numbers);
  return error;
}

export const writtenNumbersOf = (error: unknown): Readonly<Record<string, string>> | undefined =>
  typeof error === 'object' && error !== null ? numbersOf.get(error) : undefined;

/** Those at the top of a body or query: of lists of destinations, and of the constraint `isE164`. */
export function writtenNumbersIn(errors: readonly ValidationError[]): Record<string, string> {
  const found = errors.flatMap(({ property, value, constraints = {}, contexts = {} }) => {
    if ('isE164' in constraints) return typeof value === 'string' ? { [property]: value } : {};
    return Object.values(contexts).map((context: Partial<WrittenNumbers>) => context.writtenNumbers?.(property, value));
  });
  return Object.assign({}, ...found) as Record<string, string>;
}
