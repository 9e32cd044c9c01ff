/** RFC 3261 §7.3.3 and the IANA registry of compact forms. */
const COMPACT: Record<string, string> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
};

const USUAL_SPELLINGS = [
  'Accept',
  'Accept-Encoding',
  'Allow',
  'Authorization',
  'Call-ID',
  'Contact',
  'Content-Length',
  'Content-Type',
  'CSeq',
  'Event',
  'From',
  'Max-Forwards',
  'Diversion',
  'Min-SE',
  'P-Asserted-Identity',
  'Privacy',
  'Proxy-Authenticate',
  'Proxy-Authorization',
  'RAck',
  'Reason',
  'Record-Route',
  'Refer-To',
  'Referred-By',
  'Require',
  'Retry-After',
  'Route',
  'RSeq',
  'Server',
  'Session-Expires',
  'Subscription-State',
  'Supported',
  'To',
  'Unsupported',
  'User-Agent',
  'Via',
  'Warning',
  'WWW-Authenticate',
];

const prefixes = new Map<string, string>();
// Keyed by received spellings, so that the parser rarely lower-cases a name.
const canonical = new Map<string, string>();
for (const spelling of USUAL_SPELLINGS) {
  const name = spelling.toLowerCase();
  prefixes.set(name, `${spelling}: `);
  canonical.set(spelling, name).set(name, name);
}
for (const [letter, name] of Object.entries(COMPACT)) canonical.set(letter, name).set(letter.toUpperCase(), name);

/** `canonicalName` of the usual spellings; undefined for others. */
export const knownName = (raw: string): string | undefined => canonical.get(raw);

/** The lower-case long form of a received header name: `v` and `VIA` are both `via`. */
export function canonicalName(raw: string): string {
  const known = knownName(raw);
  if (known !== undefined) return known;
  const lower = raw.toLowerCase();
  return canonical.get(lower) ?? lower;
}

/** The beginning of the line of a canonical name: `call-id` gives `Call-ID: `, `x-my-header` `X-My-Header: `. */
export function wirePrefix(name: string): string {
  return prefixes.get(name) ?? `${name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())}: `;
}

/** The index after the quoted string that starts at `start`, or the end of the text when it is never closed. */
export function afterQuoted(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i + 1;
  }
  return text.length;
}

/**
 * Splits at `separator`, except inside quotes or angle brackets. Parts are trimmed; empty ones are omitted. Text after the first `most`
 * parts is ignored.
 */
export function splitOutsideQuotes(text: string, separator: string, most = Infinity): string[] {
  const wanted = separator.charCodeAt(0);
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  let i = 0;
  while (i < text.length && parts.length < most) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i = afterQuoted(text, i);
      continue;
    }
    if (c === 0x3c) depth++;
    else if (c === 0x3e && depth > 0) depth--;
    else if (c === wanted && depth === 0) {
      pushTrimmed(parts, text, start, i);
      start = i + 1;
    }
    i++;
  }
  if (parts.length < most) pushTrimmed(parts, text, start, text.length);
  return parts;
}

function pushTrimmed(parts: string[], text: string, start: number, end: number): void {
  const part = text.slice(start, end).trim();
  if (part !== '') parts.push(part);
}

/** `"a \"b\""` -> `a "b"`; unquoted text is returned unchanged. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== 0x22) return text;
  const inner = text.slice(1, text.endsWith('"') ? -1 : undefined);
  return inner.includes('\\') ? inner.replace(/\\(.)/g, '$1') : inner;
}

/** A Via has five, a URI or a digest ten. A datagram has room for 30,000, and its Via is read several times, which took 8 ms. */
const MAX_PARAMS = 100;
const NO_PARAMS: ReadonlyMap<string, string> = new Map();

/** `;a=b;lr;c="d"` -> a=b, lr='', c=d. Names are lower-cased; the first of equal names counts, and the first 100 in total. */
export function parseParams(text: string): ReadonlyMap<string, string> {
  if (text === '') return NO_PARAMS;
  const params = new Map<string, string>();
  for (const part of splitOutsideQuotes(text, ';', MAX_PARAMS)) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name !== '' && !params.has(name)) params.set(name, equals < 0 ? '' : unquote(part.slice(equals + 1).trim()));
  }
  return params;
}

/** Text that would change the meaning of its message: a line break, a control character, a delimiter. */
export class UnsafeSipText extends Error {
  constructor(readonly field: string) {
    super(`${field} contains characters that are not allowed in a SIP message`);
    this.name = 'UnsafeSipText';
  }
}

// Everything below space except HTAB, and DEL. Includes CR and LF, which could add a header.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
// RFC 3261 §25.1 `user`, without escapes, and without `;`, which some proxies read as parameters.
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,?/#]|%[0-9A-Fa-f]{2})+$/;
// Underscores are not allowed by the grammar, but by DNS (RFC 2181 §11) and in the names of containers and Windows machines.
const HOST = /^(?:\w(?:[\w\-.]*\w)?\.?|\[[0-9A-Fa-f:.]+\])$/;

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The part before `@`; `#` and `*` are allowed because dialled strings contain them (escaped by `userPart`). */
export function isUser(text: string): boolean {
  return text.length <= 128 && USER.test(text);
}

/** A DNS name, also with underscores, an IPv4 literal or an IPv6 literal in brackets. */
export function isHost(text: string): boolean {
  return text.length <= 253 && HOST.test(text);
}

/** A value that is valid in the first line of a request. */
export function isRequestUri(text: string): boolean {
  return text !== '' && !/[\s<>"]/.test(text) && !CONTROL.test(text);
}

/** Returns the header value. @throws UnsafeSipText */
export function headerValue(name: string, value: string): string {
  if (CONTROL.test(value)) throw new UnsafeSipText(name);
  return value;
}

/** A user part ready for a URI. `#` must be escaped there (RFC 3261 §25.1). */
export function userPart(field: string, text: string): string {
  if (!isUser(text)) throw new UnsafeSipText(field);
  return text.includes('#') ? text.replaceAll('#', '%23') : text;
}

/** A display name as a quoted string. It is cosmetic: forbidden characters are removed and do not fail the call. */
export function quoteName(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return `"${text.replace(/[\0-\x1f\x7f<>";\\]/g, '').slice(0, 80)}"`;
}
