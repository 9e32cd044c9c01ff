import { afterQuoted, isHost, isToken, parseParams, unquote } from './headers.js';

// Objects of messages are written without spreads: V8 defines the properties after a spread in its slowest way.

/** One SIP URI in parts. `host` of an IPv6 literal keeps its brackets; `user` keeps its escapes. */
export interface SipUri {
  scheme: 'sip' | 'sips';
  user?: string;
  host: string;
  port?: number;
  params: ReadonlyMap<string, string>;
}

/** Reads `sip:user:password@host:port;params?headers`; passwords and headers are dropped. Undefined: not a SIP URI. */
export function parseSipUri(text: string): SipUri | undefined {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, colon).toLowerCase();
  if (scheme !== 'sip' && scheme !== 'sips') return undefined;
  const at = text.indexOf('@', colon + 1);
  const hostStart = at < 0 ? colon + 1 : at + 1;
  const question = text.indexOf('?', hostStart);
  const end = question < 0 ? text.length : question;
  const semicolon = text.indexOf(';', hostStart);
  const hostEnd = semicolon < 0 || semicolon > end ? end : semicolon;
  const hostPort = parseHostPort(text.slice(hostStart, hostEnd));
  if (!hostPort) return undefined;
  const user = at < 0 ? undefined : text.slice(colon + 1, at).split(':', 1)[0];
  if (at >= 0 && !user) return undefined;
  const { host, port } = hostPort;
  return { scheme, user, host, port, params: parseParams(hostEnd < end ? text.slice(hostEnd + 1, end) : '') };
}

/** `host`, `host:port`, `[v6]`, `[v6]:port`. */
function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  const colon = text.startsWith('[') ? text.indexOf(':', text.indexOf(']')) : text.indexOf(':');
  const host = colon < 0 ? text : text.slice(0, colon);
  if (!isHost(host)) return undefined;
  if (colon < 0) return { host, port: undefined };
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** ITU-T E.164 §6 with its plus: the only user part allowed with `;user=phone` (RFC 3261 §19.1.1, RFC 3966 §5.1.4). */
export const isE164User = (user: string): boolean => /^\+[1-9]\d{1,14}$/.test(user);

/** The user part without its escapes; invalid escape sequences stay unchanged. */
function decodeUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}

/** RFC 3966 §3 and the spaces that some exchanges use. */
const SEPARATORS = /[\s().-]/g;
const NUMBER = /^\+?[\d*#]+$/;

/**
 * The number or name in a SIP or tel URI: without escapes, the parameters of a number (`;npdi;rn=` of RFC 4694, `;phone-context=`), and
 * its visual separators. The empty string without one. It does not depend on the host, which may be unreadable.
 */
export function userOfUri(uri: string): string {
  const colon = uri.indexOf(':');
  const scheme = uri.slice(0, colon).toLowerCase();
  const rest = uri.slice(colon + 1);
  if (scheme === 'tel') return numberIn(decodeUser(rest.split('?', 1)[0]!)) ?? '';
  const at = rest.indexOf('@');
  if ((scheme !== 'sip' && scheme !== 'sips') || at < 0) return '';
  const user = rest.slice(0, at).split(':', 1)[0]!;
  const subscriber = decodeUser(user);
  // RFC 3261 §19.1.1: without `user=phone` the user part may be a name that looks like a local number.
  const isNumber = subscriber.startsWith('+') || /;user=phone(?:;|\?|$)/i.test(rest.slice(at));
  return (isNumber ? numberIn(subscriber) : undefined) ?? decodeUser(user.split(';', 1)[0]!);
}

function numberIn(subscriber: string): string | undefined {
  const number = subscriber.split(';', 1)[0]!.replace(SEPARATORS, '');
  return NUMBER.test(number) ? number : undefined;
}

/**
 * The URI rebuilt from its parts. Only the parameters `transport` and `user=phone` are kept, so that `maddr`, `method` or
 * `?headers` of an untrusted URI cannot redirect a request or add to it.
 */
export function rewriteUri({ scheme, user, host, port, params }: SipUri, transport: string | undefined): string {
  const at = user === undefined ? '' : `${user.replaceAll('#', '%23')}@`;
  const phone = isE164User(user ?? '') && params.get('user')?.toLowerCase() === 'phone' ? ';user=phone' : '';
  const via = transport === undefined ? '' : `;transport=${transport}`;
  return `${scheme}:${at}${host}${port === undefined ? '' : `:${port}`}${via}${phone}`;
}

/** An address in the form of URIs and Via: IPv6 in brackets. */
export function uriHost(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}

/** `[::1]` -> `::1`, for the socket calls. */
export function bareHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

/** The value of From, To, Contact, Route and similar headers. */
interface NameAddr {
  displayName?: string;
  uri: string;
  params: ReadonlyMap<string, string>;
}

/** Reads `"Bob" <sip:bob@host;lr>;tag=1`, or the bare form, whose parameters belong to the header (RFC 3261 §20.10). */
export function parseNameAddr(value: string): NameAddr | undefined {
  const open = openingBracket(value);
  if (open < 0) {
    const semicolon = value.indexOf(';');
    const uri = (semicolon < 0 ? value : value.slice(0, semicolon)).trim();
    if (uri === '' || uri.includes(' ')) return undefined;
    return { uri, params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)) };
  }
  const close = value.indexOf('>', open);
  if (close < 0) return undefined;
  const displayName = unquote(value.slice(0, open).trim());
  const semicolon = value.indexOf(';', close);
  return {
    displayName: displayName === '' ? undefined : displayName,
    uri: value.slice(open + 1, close).trim(),
    params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)),
  };
}

function openingBracket(value: string): number {
  const quote = value.indexOf('"');
  const open = value.indexOf('<');
  if (quote < 0 || (open >= 0 && open < quote)) return open;
  return value.indexOf('<', afterQuoted(value, quote));
}

/** The tag of a From or To value. */
export function tagOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const simple = simpleTag(value);
  if (simple !== undefined || !/;\s*tag\s*=/i.test(value)) return simple;
  return parseNameAddr(value)?.params.get('tag') || undefined;
}

/** Of the usual form `<…>;tag=1`, without parsing. */
function simpleTag(value: string): string | undefined {
  const start = value.lastIndexOf('>') + 1;
  if (start === 0 || !value.startsWith(';tag=', start)) return undefined;
  const tag = value.slice(start + ';tag='.length);
  return isToken(tag) ? tag : undefined;
}

export interface Via {
  transport: string;
  host: string;
  port?: number;
  params: ReadonlyMap<string, string>;
}

/** RFC 3261 §8.1.1.7: the prefix of RFC 3261 branches. */
export const MAGIC_COOKIE = 'z9hG4bK';

const SENT_PROTOCOL = /^SIP\s*\/\s*2\.0\s*\/\s*([A-Za-z0-9-]+)\s+/i;

/** Reads one Via value, such as `SIP/2.0/UDP [::1]:5060;branch=z9hG4bK1;rport`. */
export function parseVia(value: string): Via | undefined {
  const protocol = SENT_PROTOCOL.exec(value);
  if (!protocol) return undefined;
  const semicolon = value.indexOf(';', protocol[0].length);
  const sentBy = value.slice(protocol[0].length, semicolon < 0 ? undefined : semicolon);
  const hostPort = parseHostPort(sentBy.replace(/\s+/g, ''));
  if (!hostPort) return undefined;
  return {
    transport: protocol[1]!.toUpperCase(),
    host: hostPort.host,
    port: hostPort.port,
    params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)),
  };
}

/**
 * The Via as stored by a server: with the source address, and the port when rport was requested
 * (RFC 3261 §18.2.1, RFC 3581 §4). Responses return it.
 */
export function stampVia(value: string, via: Via, address: string, port: number): string {
  const asksForPort = via.params.get('rport') === '';
  const withPort = asksForPort ? value.replace(/;\s*rport\s*(?=;|$)/i, `;rport=${port}`) : value;
  if (!asksForPort && bareHost(via.host) === address) return withPort;
  return `${withPort};received=${address}`;
}
