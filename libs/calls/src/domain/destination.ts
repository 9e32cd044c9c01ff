import { type Destination, normaliseE164 } from '@app/accounts';
import { type AllowList, isAddressAllowed } from '@app/common';
import { isInsideName } from '@app/egress';
import { isIP } from 'node:net';

export { type Destination, parseDestination, type ParsedDestination } from '@app/accounts';

/**
 * An error message when the host of a SIP URI is visibly in a private network; the dialer checks again after resolving the name.
 */
export function insideProblem(destination: Destination, allow: AllowList): string | undefined {
  // Names are case-insensitive, and a fully qualified name may end in a dot.
  const host = destination.host?.toLowerCase().replace(/\.$/, '');
  if (host === undefined) return undefined;
  const inside = isIP(host) > 0 ? !isAddressAllowed(host, allow) : isInsideName(host) && allow.length === 0;
  return inside ? 'Calls to this SIP host are not allowed: it is not a public address.' : undefined;
}

/** The kind of a stored `to_number`: parsed numbers begin with a plus sign, everything else is a SIP URI. */
export const destinationKind = (address: string): Destination['kind'] => (address.startsWith('+') ? 'e164' : 'sip');

/** Destinations that occur earlier in the list: `[index, index of the first one]`. */
export function duplicatesIn(destinations: readonly Destination[]): [number, number][] {
  const first = new Map<string, number>();
  return destinations.flatMap((destination, index): [number, number][] => {
    const key = comparable(destination);
    const earlier = first.get(key);
    if (earlier !== undefined) return [[index, earlier]];
    first.set(key, index);
    return [];
  });
}

/**
 * Equal for destinations that reach the same phone. In SIP URIs (RFC 3261 §19.1.4) scheme, host and parameters are case-insensitive, the
 * order of parameters is ignored, needless escapes of the user part are decoded, and no default port is assumed.
 */
function comparable({ kind, address }: Destination): string {
  if (kind === 'e164') return address;
  const at = address.lastIndexOf('@');
  const [hostport = '', ...parameters] = address
    .slice(at + 1)
    .toLowerCase()
    .split(';');
  const user = address.slice('sip:'.length, at).replaceAll(/%[0-9a-f]{2}/gi, unescape);
  return [user, hostport.replace(/\.(?=:|$)/, ''), ...parameters.toSorted()].join('\n');
}

/** Characters that need no escape; other escapes in upper case. */
function unescape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.!~*'()-]/.test(character) ? character : escape.toUpperCase();
}

/** `from_number` of a caller with a hidden or unknown number. */
const ANONYMOUS = 'anonymous';

/** Longer than any real number or address. */
const MAX_CALLER = 255;
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x20\x7f-\x9f<>"]/;

/**
 * The E.164 numbers that a carrier may mean by a dialled number: with a plus, with the international prefix 00 or 011, or without
 * either. The most likely first; text that is not a number is left out.
 */
export function dialledNumbers(dialled: readonly string[]): string[] {
  const meant = dialled.flatMap((text) => [text, text.replace(/^(?:00|011)/, '+'), `+${text}`]);
  return [...new Set(meant.map(normaliseE164).filter((number) => number !== undefined))];
}

/** The caller in the request of the carrier. */
export interface CallerIdentity {
  /** User part of the address; may be empty. */
  user: string;
  host: string;
}

/** `from_number` of an inbound call: E.164, the digits as the carrier sent them, or a SIP URI. */
export function callerNumber(caller: CallerIdentity | undefined): string {
  if (!caller) return ANONYMOUS;
  const { user, host } = caller;
  const number = normaliseE164(user) ?? (user.startsWith('00') ? normaliseE164(`+${user.slice(2)}`) : undefined);
  if (number) return number;
  // A national number, or an extension: only the carrier knows its country.
  if (/^\d{1,15}$/.test(user)) return user;
  const uri = user === '' ? `sip:${host}` : `sip:${user}@${host}`;
  return UNPRINTABLE.test(uri) || uri.length > MAX_CALLER ? ANONYMOUS : uri;
}
