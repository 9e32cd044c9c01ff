/** Shorter ones without `+` are extensions of somebody's PBX; the shortest E.164 numbers with a country code have eight digits. */
const SHORTEST_BARE = 8;
const SHORTEST_WITH_PREFIX = 7;

/** A service code such as `*67`, an international prefix, the digits, and what PBXs and carriers cut off behind them. */
const DIALLED = /^(?:[*#]+\d{2}[*#]?)?(?:(\+|00|011)(\d+)|(\d+)(?![\da-z]))/;

/**
 * The number that a destination would make a carrier call, as E.164: of a number itself, and of a SIP URI whose user part reads
 * like one (`sip:+1900…@`, `sip:001900…@`, `sip:1900…@`, with escapes and punctuation). Undefined: nothing that a carrier
 * would take for a number.
 */
export function dialledNumber(destination: string): string | undefined {
  const text = unescaped(dialledPart(destination))
    .toLowerCase()
    .replace(/[\s().-]/g, '');
  const [, prefix, international, bare = ''] = DIALLED.exec(text) ?? [];
  const digits = international ?? bare;
  const shortest = prefix === undefined ? SHORTEST_BARE : SHORTEST_WITH_PREFIX;
  return digits.length >= shortest && !digits.startsWith('0') ? `+${digits}` : undefined;
}

/** The user part of a SIP URI, what follows `tel:`, or the whole. */
function dialledPart(destination: string): string {
  const [, scheme = '', rest = destination] = /^(sips?|tel):(.*)$/is.exec(destination) ?? [];
  if (!/^sip/i.test(scheme)) return rest;
  const at = rest.lastIndexOf('@');
  return at < 0 ? '' : rest.slice(0, at);
}

/** A broken escape is nobody's number, and stays as it is. */
function unescaped(user: string): string {
  return user.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
