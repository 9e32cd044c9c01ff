import type { SipResponse } from './message.js';
import { parseNameAddr } from './name-addr.js';
import type { HostToReach } from './resolve-target.js';
import { isUser } from './safe-text.js';
import { isE164User, parseSipUri, type SipUri } from './sip-uri.js';

/** An address that a 3xx names. */
export interface RedirectContact {
  /** Written anew from its parts: `maddr`, `method` and `?headers` of the far end add nothing to our request. */
  uri: string;
  hop: HostToReach;
}

/** RFC 3261 §21.3: 305 names a proxy and 380 another service; neither is the callee at another place. */
const FOLLOWED = new Set([300, 301, 302]);

/** The Contacts of a 3xx, the highest q first (RFC 3261 §8.1.3.4); those of equal q keep their order. */
export function redirectContacts(response: SipResponse): RedirectContact[] {
  if (!FOLLOWED.has(response.status)) return [];
  const contacts = response.headers.list('contact').flatMap((value) => {
    const address = parseNameAddr(value);
    const contact = address && contactOf(address.uri);
    return contact ? [{ ...contact, q: preference(address.params.get('q')) }] : [];
  });
  return contacts.toSorted((a, b) => b.q - a.q).map(({ uri, hop }) => ({ uri, hop }));
}

function contactOf(text: string): RedirectContact | undefined {
  const uri = parseSipUri(text);
  const transport = uri && transportOf(uri);
  if (!uri || transport === null || (uri.user !== undefined && !isUser(uri.user))) return undefined;
  const port = uri.port === undefined ? {} : { port: uri.port };
  const hop = { host: uri.host, ...port, ...(transport === undefined ? {} : { transport }) };
  return { uri: rewritten(uri), hop };
}

/** Undefined: RFC 3263 decides. Null: one that we do not speak. */
function transportOf({ scheme, params }: SipUri): HostToReach['transport'] | null {
  const named = params.get('transport')?.toLowerCase();
  if (scheme === 'sips') return named === undefined || named === 'tcp' || named === 'tls' ? 'tls' : null;
  if (named === undefined) return undefined;
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : null;
}

function rewritten({ scheme, user, host, port, params }: SipUri): string {
  const at = user === undefined ? '' : `${user.replaceAll('#', '%23')}@`;
  const transport = params.has('transport') ? `;transport=${params.get('transport')!.toLowerCase()}` : '';
  const phone = isE164User(user ?? '') && params.get('user')?.toLowerCase() === 'phone' ? ';user=phone' : '';
  return `${scheme}:${at}${host}${port === undefined ? '' : `:${port}`}${transport}${phone}`;
}

/** RFC 3261 §20.10: 1 when it is not said. */
function preference(q: string | undefined): number {
  const value = Number(q ?? 1);
  return value >= 0 && value <= 1 ? value : 0;
}
