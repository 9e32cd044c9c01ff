import type { ValidationArguments } from 'class-validator';

type Say = (args: ValidationArguments) => string;

/** `post_call_webhook_url` as people read it; of an element, the path class-validator gives is enough. */
const nameOf = ({ property }: ValidationArguments): string => property.replaceAll('_', ' ');

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A field that is missing is told so, whatever else it should have been. */
const or =
  (sentence: (name: string, args: ValidationArguments) => string): Say =>
  (args) =>
    isMissing(args.value) ? `The ${nameOf(args)} field is required.` : sentence(nameOf(args), args);

/** What a field must be, in Laravel's words, which clients of this API know. */
export const must = {
  beText: or((name) => `The ${name} field must be a string.`),
  beShort: (max: number): Say => or((name) => `The ${name} field must not be greater than ${max} characters.`),
  beInteger: or((name) => `The ${name} field must be an integer.`),
  beNumber: or((name) => `The ${name} field must be a number.`),
  beTrueOrFalse: or((name) => `The ${name} field must be true or false.`),
  beOneOf: or((name, { constraints }) => `The selected ${name} is invalid. It must be one of: ${listed(constraints)}.`),
  beBetween: (min: number, max: number): Say => or((name) => `The ${name} field must be between ${min} and ${max}.`),
  beAtLeast: (min: number): Say => or((name) => `The ${name} field must be at least ${min}.`),
  beDate: or((name) => `The ${name} field must be an ISO 8601 date or time.`),
  beUuid: or((name) => `The ${name} field must be a valid UUID.`),
  beE164: or((name) => `The ${name} field must be a phone number in E.164 format.`),
};

const listed = (constraints: unknown[] | undefined): string => {
  const [values] = constraints ?? [];
  return Array.isArray(values) ? values.join(', ') : '';
};
