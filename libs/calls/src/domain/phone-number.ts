import { normaliseE164 } from '@app/accounts';

/** `from_number` of a caller who hides the number or whom the carrier does not name. */
const ANONYMOUS = 'anonymous';

/** Longer than any real number or address. */
const MAX_CALLER = 255;
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\0-\x20\x7f-\x9f<>"]/;

/**
 * What a carrier may mean by the number it calls: E.164 with its plus, with the international prefix 00 or 011, or without
 * any. The likeliest first; text that is not a number is left out.
 */
export function dialledNumbers(dialled: readonly string[]): string[] {
  const meant = dialled.flatMap((text) => [text, text.replace(/^(?:00|011)/, '+'), `+${text}`]);
  return [...new Set(meant.map(normaliseE164).filter((number) => number !== undefined))];
}

/** A caller as the carrier names it. */
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
