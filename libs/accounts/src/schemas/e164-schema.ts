import { z } from 'zod';
import { normaliseE164 } from '../domain/destination-policy.js';
import { readWrittenNumber } from '../domain/written-number.js';
import { text } from '@app/common/field-schemas';

export const e164 = text(40).transform((value, context) => {
  const number = normaliseE164(value);
  if (number) return number;
  const meant = readWrittenNumber(value, null);
  const example = 'number' in meant ? meant.number : '+15550001111';
  context.addIssue({
    code: 'custom',
    message: `must be an E.164 number such as "${example}"`,
    params: { code: 'invalid_format' },
  });
  return z.NEVER;
});
