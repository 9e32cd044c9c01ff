/** Shorter ones without `+` are extensions of a PBX; the shortest E.164 numbers with a country code have eight digits. */
const SHORTEST_BARE = 8;
const SHORTEST_WITH_PREFIX = 7;

/** A service code such as `*67`, an international prefix, the digits, and what PBXs and carriers cut off behind them. */
const DIALLED = /^(?:[*#]+\d{2}[*#]?)?(?:(\+|00|011)(\d+)|(\d+)(?![\da-z]))/;

/** Dial strings after `plainUser`: a prefix or a service code before digits, or a subscriber number, whatever follows them. */
const DIAL_STRING = /^(?:[+*#]+\p{N}|\p{N}{7,})/u;

/**
 * The number that a destination would make a carrier call, as E.164: of a number itself, and of a SIP URI whose user part reads
 * like one (`sip:+1900…@`, `sip:001900…@`, `sip:1900…@`, with escapes and punctuation). Undefined: nothing that a carrier
 * would take for a number.
 */
export function dialledNumber(destination: string): string | undefined {
  const text = plainUser(/^sips?:/i.test(destination) ? (sipUserPart(destination) ?? '') : afterTel(destination));
  const [, prefix, international, bare = ''] = DIALLED.exec(text) ?? [];
  const digits = international ?? bare;
  const shortest = prefix === undefined ? SHORTEST_BARE : SHORTEST_WITH_PREFIX;
  return digits.length >= shortest && !digits.startsWith('0') ? `+${digits}` : undefined;
}

/** The user part of a SIP URI as it is written, without a password. Undefined: there is none, or it is no SIP URI. */
export function sipUserPart(uri: string): string | undefined {
  const at = uri.lastIndexOf('@');
  return at < 0 ? undefined : /^sips?:([^:]*)/i.exec(uri.slice(0, at))?.[1];
}

/**
 * Whether a carrier may dial that user part as digits: it has digits and no letters, not counting parameters such as
 * `;phone-context`, or it begins like a dial string (`+1…x12`, `*67…`, seven digits and more). `alice`, `callee-17` and `3cx` are names.
 */
export function isDialString(user: string): boolean {
  const text = plainUser(user);
  const [subscriber = ''] = text.split(/[;?&=]/, 1);
  return /\p{N}/u.test(text) && (!/\p{L}/u.test(subscriber) || DIAL_STRING.test(text));
}

/** Decoded, in lower case, digits of other scripts' widths as ASCII, without the separators that switches skip (RFC 3966 §5.1.1). */
function plainUser(user: string): string {
  return unescaped(user)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:tel|sips?):/, '')
    .replace(/[^\p{L}\p{N}+*#;?&=/]/gu, '');
}

const afterTel = (destination: string): string => destination.replace(/^tel:/i, '');

/** Decoded until nothing is left to decode, because each proxy on the way may decode once. A broken escape stays as it is. */
function unescaped(user: string): string {
  const decoded = user.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return decoded === user ? decoded : unescaped(decoded);
}
