import type { StoredDialFormats } from '@app/database';
import { dialFormatProblem } from './dial-formats.js';
import { dialledNumber } from './dialled-numbers.js';

export interface DestinationLimits {
  /** E.164 prefixes; empty: everything that is not denied. */
  allow: readonly string[];
  deny: readonly string[];
}

/**
 * Numbers whose price the called party sets or that are common in toll fraud: satellite and international networks, premium
 * rate, shared cost. An account that needs one allows its prefix explicitly.
 */
export const DENIED_BY_DEFAULT: readonly string[] = [
  // International: shared cost, satellite (Inmarsat, GMSS), universal personal and network numbers, premium rate.
  ...['+808', '+870', '+878', '+881', '+882', '+883', '+888', '+979'],
  // North America: pay-per-call.
  ...['+1900', '+1976'],
  // Europe: premium rate, televoting, shared cost, personal numbers.
  ...['+3290', '+3389', '+34803', '+34806', '+34807', '+34905', '+35315', '+358600', '+358700'],
  ...['+39892', '+39894', '+39895', '+39899', '+41900', '+41901', '+41906', '+43900', '+43901', '+43930', '+43931'],
  ...['+4470', '+4484', '+4487', '+449', '+4590', '+46900', '+46939', '+46944', '+47820', '+47829', '+4870'],
  ...['+31900', '+31906', '+31909', '+49137', '+49180', '+49190', '+49900'],
  // Elsewhere.
  ...['+55900', '+61190', '+81990'],
];

/**
 * Whether an account may call a number (`+` and digits). The longest prefix that matches decides; of equal ones, the account's
 * denial before its permission, and that before the default denials.
 * @returns a sentence for the person who asked for the call, or undefined when it may be placed.
 */
export function destinationAllowed(limits: DestinationLimits, e164: string): string | undefined {
  const allowed = longest(limits.allow, e164);
  const denied = longest(limits.deny, e164);
  const deniedByDefault = longest(DENIED_BY_DEFAULT, e164);
  if (denied > 0 && denied >= allowed) return 'Calls to this destination are denied for the account.';
  if (deniedByDefault > allowed) return 'Calls to premium, satellite and shared-cost numbers are not allowed.';
  if (limits.allow.length > 0 && allowed === 0) return 'Calls to this destination are not allowed for the account.';
  return undefined;
}

/** The trunk that a call goes over, as far as it decides what may be dialled. */
export interface DiallingTrunk {
  dial_formats: StoredDialFormats | null;
}

/**
 * The same for anything that can be dialled, transferred or redirected to: a number, or a SIP URI, whose user part may be a
 * number to the host that receives it. Over a trunk its form must be one that the trunk allows, too.
 * @param trunk absent: the call goes straight to the host of the URI.
 * @returns a sentence, or undefined when it may be called.
 */
export function destinationRefusal(
  limits: DestinationLimits,
  destination: string,
  trunk?: DiallingTrunk | null,
): string | undefined {
  const number = dialledNumber(destination);
  const refusal = number === undefined ? undefined : destinationAllowed(limits, number);
  return refusal ?? (trunk ? dialFormatProblem(destination, trunk.dial_formats) : undefined);
}

/** Length of the longest prefix that matches; 0: none does. */
function longest(prefixes: readonly string[], e164: string): number {
  return Math.max(0, ...prefixes.filter((prefix) => e164.startsWith(prefix)).map((prefix) => prefix.length));
}
