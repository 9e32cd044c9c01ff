import type { Destination } from './destination.js';

/** Destinations that stand earlier in the list: `[index, index of the first one]`. */
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
 * Equal for what reaches the same phone. Of SIP URIs (RFC 3261 §19.1.4) scheme, host and parameters are the same in any case and
 * parameters in any order, the user part as it is written, with needless escapes decoded; a port is never assumed.
 */
function comparable({ kind, address }: Destination): string {
  if (kind === 'e164') return address;
  const at = address.lastIndexOf('@');
  const [hostport = '', ...parameters] = address
    .slice(at + 1)
    .toLowerCase()
    .split(';');
  const user = address.slice('sip:'.length, at).replaceAll(/%[0-9a-f]{2}/gi, unescaped);
  return [user, hostport.replace(/\.(?=:|$)/, ''), ...parameters.toSorted()].join('\n');
}

/** Characters that need no escape; other escapes in upper case. */
function unescaped(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.!~*'()-]/.test(character) ? character : escape.toUpperCase();
}
