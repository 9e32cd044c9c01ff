import type { StoredDialFormats } from '@app/database';
import { isDialString, sipUserPart } from './dialled-numbers.js';
import { normaliseE164 } from './e164.js';

/** The longest extension that a trunk may allow: with eight digits begin the numbers of the public network. */
export const LONGEST_EXTENSION = 7;

const PROBLEM =
  'Over a trunk the user part of a SIP URI must be an E.164 number such as +15551234567, a name, or in one of the dial_formats of the trunk.';

/**
 * Whether a destination may be called over a trunk. National and foreign dial formats (`09061234567`, `0011881…`, `9005551212`) mean
 * another number to each carrier, so that the destination limits cannot be applied to them.
 * @returns a sentence, or undefined when its form is right: E.164, a name, or an extension that the trunk allows.
 */
export function dialFormatProblem(destination: string, formats: StoredDialFormats | null): string | undefined {
  const user = sipUserPart(destination);
  if (user === undefined || !isDialString(user) || isE164(user) || isExtension(user, formats)) return undefined;
  return PROBLEM;
}

/** As it is written: the carrier gets the user part unchanged. */
const isE164 = (user: string): boolean => normaliseE164(user) === user;

function isExtension(user: string, formats: StoredDialFormats | null): boolean {
  if (!formats || !/^\d+$/.test(user)) return false;
  const { min_digits: min, max_digits: max } = formats.extensions;
  return user.length >= min && user.length <= max;
}
