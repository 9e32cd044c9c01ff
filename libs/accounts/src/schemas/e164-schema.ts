import { z } from 'zod';
import { normaliseE164 } from '../domain/destination-policy.js';
import { text } from '@app/common/field-schemas';

export const e164 = text(40).transform((value, context) => {
  const number = normaliseE164(value);
  if (number) return number;
  context.addIssue({ code: 'custom', message: 'must be an E.164 number such as "+15550001111"' });
  return z.NEVER;
});
