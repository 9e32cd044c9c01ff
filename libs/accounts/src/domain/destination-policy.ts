import type { StoredDialFormats } from '../trunks/sip-trunk.entity.js';

/** Allowed and denied E.164 prefixes of an account. */
interface DestinationLimits {
  /** Empty: everything that is not denied. */
  allow: readonly string[];
  deny: readonly string[];
}

/**
 * Prefixes whose price the called party sets, or that are common in toll fraud: satellite and international networks, premium
 * rate, shared cost. An account can allow them explicitly.
 */
const DENIED_BY_DEFAULT: readonly string[] = [
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
 * Whether an account may call a number (`+` and digits). The longest matching prefix decides; with equal lengths a denial of the account
 * precedes its permission, which precedes the default denials.
 * @returns an error message, or undefined when the call may be placed.
 */
export function destinationAllowed(limits: DestinationLimits, e164: string): string | undefined {
  const allowed = longest(limits.allow, e164);
  const denied = longest(limits.deny, e164);
  const deniedByDefault = longest(DENIED_BY_DEFAULT, e164);
  if (denied > 0 && denied >= allowed) return 'Calls to this destination are denied for the account.';
  if (deniedByDefault > allowed) return 'Calls to premium, satellite and shared-cost numbers are not allowed.';
  if (limits.allow.length > 0 && allowed === 0) return BLOCKED_DESTINATION;
  return undefined;
}

/** The settings of a call's trunk that limit its destinations. */
export interface DiallingTrunk {
  dial_formats: StoredDialFormats | null;
}

/** The answer for a blocked destination that no list of the account names: it does not tell why. */
export const BLOCKED_DESTINATION = 'Calls to this destination are not allowed for the account.';

/**
 * destinationAllowed for every destination that can be dialled, transferred or redirected to: a number, or a SIP URI whose user part
 * its host may treat as a number. A trunk must also accept the format; without a trunk, emergency and short codes are refused.
 * @param trunk absent: the call goes directly to the host of the URI.
 * @returns an error message, or undefined when it may be called.
 */
export function destinationRefusal(
  limits: DestinationLimits,
  destination: string,
  trunk?: DiallingTrunk | null,
): string | undefined {
  for (const number of readingsOf(destination).flatMap(numberOf)) {
    const refusal = destinationAllowed(limits, number);
    if (refusal !== undefined) return refusal;
  }
  if (trunk) return dialFormatProblem(destination, trunk.dial_formats);
  return isServiceCode(destination) ? BLOCKED_DESTINATION : undefined;
}

/** Length of the longest matching prefix; 0: none matches. */
function longest(prefixes: readonly string[], e164: string): number {
  return Math.max(0, ...prefixes.filter((prefix) => e164.startsWith(prefix)).map((prefix) => prefix.length));
}

/** The longest extension that a trunk may allow: numbers of the public network have eight digits or more. */
export const MAX_EXTENSION_LENGTH = 7;

const FORMAT_PROBLEM =
  'Over a trunk the user part of a SIP URI must be an E.164 number such as +15551234567, a name, or in one of the dial_formats of the trunk.';

/**
 * Whether a trunk accepts the format of a destination. Each carrier interprets national and foreign dial formats (`09061234567`,
 * `0011881…`, `9005551212`) differently, so the destination limits cannot be applied to them.
 * @returns an error message, or undefined for E.164, a name, or an extension that the trunk allows.
 */
export function dialFormatProblem(destination: string, formats: StoredDialFormats | null): string | undefined {
  const user = sipUserPart(destination);
  if (user === undefined || !isDialString(user) || isE164(user) || isExtension(user, formats)) return undefined;
  return FORMAT_PROBLEM;
}

/** Without normalisation: the carrier gets the user part unchanged. */
const isE164 = (user: string): boolean => normaliseE164(user) === user;

function isExtension(user: string, formats: StoredDialFormats | null): boolean {
  if (!formats || !/^\d+$/.test(user)) return false;
  const { min_digits: min, max_digits: max } = formats.extensions;
  return user.length >= min && user.length <= max;
}

/** Shorter digits without `+`, `00` or `011` are extensions of a PBX; the shortest E.164 numbers with a country code have eight digits. */
const MIN_BARE_LENGTH = 8;

/**
 * A service code such as `*67`, an international prefix, the digits, and a suffix that PBXs and carriers ignore. Digits that are followed by
 * letters are part of a name, except before a pause or an extension (`x12`, `w1`).
 */
const DIALLED = /^(?:[*#]+\d{2}[*#]?)?(?:(\+|00|011)(\d+)|(\d+)(?:(?![\da-z])|(?=(?:ext?|[xpw])\d)))/;

/** Dial strings after `plainUser`: a prefix or a service code before digits, or a subscriber number, with any suffix. */
const DIAL_STRING = /^(?:[+*#]+\p{N}|\p{N}{7,})/u;

/**
 * The number that a carrier would call for a destination, with a plus sign: of a number, or of a SIP URI whose user part looks like a number
 * (`sip:+1900…@`, `sip:001900…@`, `sip:1900…@`, with escapes and punctuation). It is E.164 unless it is too short, or has the trunk prefix 0
 * of a country that only the host knows (`sip:0906…@`). undefined: a name, or an extension of a PBX.
 */
export function dialledNumber(destination: string): string | undefined {
  return readingsOf(destination).flatMap(numberOf)[0];
}

/** Digits that a switch may dial, after `+`, `00`, `011` or nothing. */
interface Reading {
  prefix: string;
  digits: string;
}

const numberOf = ({ prefix, digits }: Reading): string[] =>
  digits !== '' && (prefix !== '' || digits.length >= MIN_BARE_LENGTH) ? [`+${digits}`] : [];

/**
 * What switches may dial for a destination, the usual reading first; nothing in a name. `9+1900…` and `1+900…` without letters have others:
 * a PBX drops the digits before the plus sign (an outside line), or all characters that are not digits.
 */
function readingsOf(destination: string): Reading[] {
  const text = plainUser(/^sips?:/i.test(destination) ? (sipUserPart(destination) ?? '') : afterTel(destination));
  const [, prefix = '', international, bare = ''] = DIALLED.exec(text) ?? [];
  const usual = { prefix, digits: international ?? bare };
  const [subscriber = ''] = text.split(/[;?&=/]/, 1);
  const plus = subscriber.lastIndexOf('+');
  if (/\p{L}/u.test(subscriber) || !/\d[+*#]+\d/.test(subscriber)) return [usual];
  const afterPlus = plus > 0 ? [{ prefix: '+', digits: digitsIn(subscriber.slice(plus)) }] : [];
  const isCode = /^[*#]/.test(subscriber);
  return [usual, ...afterPlus, ...(isCode ? [] : [{ prefix: '', digits: digitsIn(subscriber) }])];
}

const digitsIn = (text: string): string => text.replace(/\D/g, '');

/**
 * Emergency numbers (ITU-T E.161.1 and national ones), N11 and the crisis line 988, the European services of social value (116xxx) and
 * directory enquiries (118xx, 118xxx), whose price the called party sets. 100 to 104 and 108 are missing: most PBXs use them as extensions.
 */
const SERVICE_CODES =
  /^(?:000|061|062|080|088|11[0-9]|12[0-3]|133|144|15[058]|19[0-9]|[2-9]11|933|988|99[79]|116\d{3}|118\d{2,3})$/;

/** Whether a host may take the user part for an emergency number or another short code of the public network. */
function isServiceCode(destination: string): boolean {
  return readingsOf(destination).some(
    ({ prefix, digits }) => SERVICE_CODES.test(digits) || SERVICE_CODES.test(prefix + digits),
  );
}

/**
 * Whether a carrier may dial the user part of a SIP URI as digits: everything but a name. For carriers that authenticate by address,
 * which interpret national numbers and short codes as well.
 */
export function mayBeDialled(destination: string): boolean {
  const user = sipUserPart(destination);
  return user !== undefined && isDialString(user);
}

/**
 * The user part of a SIP URI as written, without a password. It ends at the first `@`, as for the parser of the INVITE: parameters may
 * contain others. undefined: not a SIP URI, or it has no user part.
 */
function sipUserPart(uri: string): string | undefined {
  const at = uri.indexOf('@');
  return at < 0 ? undefined : /^sips?:([^:]*)/i.exec(uri.slice(0, at))?.[1];
}

/**
 * Whether a carrier may dial the user part as digits: it has digits and no letters, not counting parameters such as
 * `;phone-context`, or it begins like a dial string (`+1…x12`, `*67…`, seven digits and more). `alice`, `callee-17` and `3cx` are names.
 */
function isDialString(user: string): boolean {
  const text = plainUser(user);
  const [subscriber = ''] = text.split(/[;?&=]/, 1);
  return /\p{N}/u.test(text) && (!/\p{L}/u.test(subscriber) || DIAL_STRING.test(text));
}

/** Decoded, in lower case, full-width digits as ASCII, without the separators that switches skip (RFC 3966 §5.1.1). */
function plainUser(user: string): string {
  return unescape(user)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:tel|sips?):/, '')
    .replace(/[^\p{L}\p{N}+*#;?&=/]/gu, '');
}

const afterTel = (destination: string): string => destination.replace(/^tel:/i, '');

/** Decoded repeatedly, because each proxy on the route may decode once. An invalid escape is kept. */
function unescape(user: string): string {
  const decoded = user.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return decoded === user ? decoded : unescape(decoded);
}

/** ITU-T E.164 §6: at most 15 digits, the country code first, which never begins with 0. */
const E164 = /^\+[1-9]\d{6,14}$/;
const PUNCTUATION = /[\s().\-/]/g;

/** `+1 (555) 000-1111` as `+15550001111`; undefined when it is not an E.164 number. */
export function normaliseE164(text: string): string | undefined {
  const number = text.replace(PUNCTUATION, '');
  return E164.test(number) ? number : undefined;
}
