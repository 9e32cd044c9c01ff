import { z } from 'zod';

/** Building blocks of schemas of requests and workspace files. Each problem is a predicate of the value: `must be text`. */

export const text = (max: number) =>
  z
    .string({
      error: ({ input }) =>
        typeof input === 'number' || typeof input === 'boolean'
          ? `must be text: write it in quotes, "${input}"`
          : input === undefined
            ? 'is missing'
            : 'must be text',
    })
    .max(max, `must not be longer than ${max} characters`);

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
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return `is unknown; the known keys are ${known}`;
      return issue.input === undefined ? 'is missing' : `must be a map of ${known}`;
    },
  });
}

export const list = <T extends z.ZodType>(item: T) => z.array(item, 'must be a list').default([]);

export function report(context: z.RefinementCtx, message: string | undefined): void {
  if (message) context.addIssue({ code: 'custom', message });
}

export const language = text(35).refine(isLanguage, 'must be a language tag such as "en" or "de-DE"');

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
