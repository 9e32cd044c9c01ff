import type { ValidationArguments } from 'class-validator';

type Message = (args: ValidationArguments) => string;

/** `post_call_webhook_url` as people read it; for an element of a list, class-validator's path is enough. */
const nameOf = ({ property }: ValidationArguments): string => property.replaceAll('_', ' ');

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A missing field gets the message that it is required, whichever constraint found it. */
const unlessMissing =
  (sentence: (name: string, args: ValidationArguments) => string): Message =>
  (args) =>
    isMissing(args.value) ? `The ${nameOf(args)} field is required.` : sentence(nameOf(args), args);

/** Validation messages in the words of Laravel, which clients of this API know. */
export const must = {
  beText: unlessMissing((name) => `The ${name} field must be a string.`),
  beShort: (max: number): Message =>
    unlessMissing((name) => `The ${name} field must not be greater than ${max} characters.`),
  beInteger: unlessMissing((name) => `The ${name} field must be an integer.`),
  beNumber: unlessMissing((name) => `The ${name} field must be a number.`),
  beTrueOrFalse: unlessMissing((name) => `The ${name} field must be true or false.`),
  beOneOf: unlessMissing(
    (name, { constraints }) => `The selected ${name} is invalid. It must be one of: ${listed(constraints)}.`,
  ),
  beBetween: (min: number, max: number): Message =>
    unlessMissing((name) => `The ${name} field must be between ${min} and ${max}.`),
  beAtLeast: (min: number): Message => unlessMissing((name) => `The ${name} field must be at least ${min}.`),
  beDate: unlessMissing((name) => `The ${name} field must be an ISO 8601 date or time.`),
  beUuid: unlessMissing((name) => `The ${name} field must be a valid UUID.`),
  beE164: unlessMissing((name) => `The ${name} field must be a phone number in E.164 format.`),
};

const listed = (constraints: unknown[] | undefined): string => {
  const [values] = constraints ?? [];
  return Array.isArray(values) ? values.join(', ') : '';
};
