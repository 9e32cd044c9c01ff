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

const display = new Map<string, string>();
// Keyed by the spellings that really arrive, so that the parser rarely has to lower-case a name.
const canonical = new Map<string, string>();
for (const spelling of USUAL_SPELLINGS) {
  const name = spelling.toLowerCase();
  display.set(name, spelling);
  canonical.set(spelling, name).set(name, name);
}
for (const [letter, name] of Object.entries(COMPACT)) canonical.set(letter, name).set(letter.toUpperCase(), name);

/** The lower-case long form of a header name as it was received: `v` and `VIA` are both `via`. */
export function canonicalName(raw: string): string {
  const known = canonical.get(raw);
  if (known !== undefined) return known;
  const lower = raw.toLowerCase();
  return canonical.get(lower) ?? lower;
}

/** How a canonical name is written on the wire: `call-id` is `Call-ID`, `x-my-header` is `X-My-Header`. */
export function wireName(name: string): string {
  return display.get(name) ?? name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
