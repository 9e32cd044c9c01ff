import type { ErrorCode } from '../values/error-codes.js';
import { z } from 'zod';

/**
 * Building blocks of schemas of requests and workspace files. Each problem is a predicate of the value: `must be a list`. Two faults are
 * reported without words, which those of the surface replace: a missing value, and another value than text.
 */

/** What a surface says of the faults for which schemas have no words. */
export interface FaultWords {
  missing: string;
  notText: (value: unknown) => string;
}

/** In a workspace file, where YAML reads `name: 5` as a number. */
export const FILE_WORDS: FaultWords = {
  missing: 'is missing',
  notText: (value) =>
    typeof value === 'number' || typeof value === 'boolean'
      ? `must be text: write it in quotes, "${value}"`
      : 'must be text',
};

/** In an answer of the API, as of the other validators. */
export const API_WORDS: FaultWords = { missing: 'is required', notText: () => 'must be a string' };

/** The parameter of `safeParse` for a surface. With the input of each issue, `codeOfIssue` tells missing values from wrong ones. */
export const inWords = ({ missing, notText }: FaultWords) => ({
  reportInput: true,
  error: (issue: z.core.$ZodRawIssue): string | undefined => {
    if (issue.code === 'custom' && issue.params?.['isMissing'] === true)
      return [missing, issue.params['reason'] ?? []].flat().join(': ');
    if (issue.code !== 'invalid_type') return undefined;
    if (issue.input === undefined) return missing;
    return issue.expected === 'string' ? notText(issue.input) : undefined;
  },
});

/** What an issue says to a program. Codes of own checks are given with `coded`; without one they are `invalid`. */
export function codeOfIssue(issue: z.core.$ZodIssue): ErrorCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'missing' : 'wrong_type';
    case 'invalid_value':
      return issue.input === undefined ? 'missing' : 'invalid_choice';
    case 'invalid_format':
    case 'not_multiple_of':
      return 'invalid_format';
    case 'unrecognized_keys':
      return 'unknown_field';
    case 'too_big':
      return SIZE_CODES[issue.origin]?.[1] ?? 'out_of_range';
    case 'too_small':
      return SIZE_CODES[issue.origin]?.[0] ?? 'out_of_range';
    case 'invalid_union':
      return codeOfUnion(issue);
    case 'custom':
      return issue.params?.['isMissing'] === true ? 'missing' : ((issue.params?.['code'] as ErrorCode) ?? 'invalid');
    default:
      return 'invalid';
  }
}

const SIZE_CODES: Readonly<Record<string, [tooSmall: ErrorCode, tooBig: ErrorCode]>> = {
  string: ['too_short', 'too_long'],
  array: ['too_few', 'too_many'],
  set: ['too_few', 'too_many'],
  map: ['too_few', 'too_many'],
};

/** No alternative takes the type of the value, or one does and refuses this value. */
function codeOfUnion({ input, errors }: z.core.$ZodIssueInvalidUnion): ErrorCode {
  if (input === undefined) return 'missing';
  const codes = errors.flat().map((issue) => (issue.path.length > 0 ? 'invalid' : codeOfIssue(issue)));
  return codes.find((code) => code !== 'wrong_type') ?? 'wrong_type';
}

/** The second parameter of `refine`, with the code of the check. */
export const coded = (code: ErrorCode, message: string) => ({ message, params: { code } });

export const text = (max: number) => z.string().max(max, `must not be longer than ${max} characters`);

export const name = text(100).trim().min(1, 'must not be empty');
export const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
export const rate = z.number('must be a number').positive('must be more than 0').max(1000, 'must be at most 1000');
export const flag = z.boolean('must be true or false');

/** Copied into SIP headers and URIs. */
export const sipToken = (max: number) =>
  text(max).regex(/^[^\s<>"@;,\p{Cc}]+$/u, 'must not contain spaces, control characters or any of < > " @ ; ,');

/** A map with known keys: a misspelled key is an error, not a setting without effect. */
export function node<T extends z.core.$ZodLooseShape>(shape: T) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code, input }) => {
      if (code === 'unrecognized_keys') return `is unknown; the known keys are ${known}`;
      return code === 'invalid_type' && input !== undefined ? `must be a map of ${known}` : undefined;
    },
  });
}

export const list = <T extends z.ZodType>(item: T) => z.array(item, 'must be a list').default([]);

export function report(context: z.RefinementCtx, message: string | undefined, code?: ErrorCode): void {
  if (message) context.addIssue({ code: 'custom', message, params: { code } });
}

/** Reports the problem of a shared check that is a whole sentence. */
export function reportSentence(context: z.RefinementCtx, message: string | undefined, code?: ErrorCode): void {
  if (message) context.addIssue({ code: 'custom', message, params: { isSentence: true, code } });
}

export const isSentence = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params?.['isSentence'] === true;

/** Reports that a key is missing. `reason`: why the record needs it. */
export function reportMissing(context: z.RefinementCtx, key: string, reason?: string): void {
  context.addIssue({ code: 'custom', path: [key], params: { isMissing: true, reason } });
}

export const language = text(35).refine(
  isLanguage,
  coded('invalid_format', 'must be a language tag such as "en" or "de-DE"'),
);

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
