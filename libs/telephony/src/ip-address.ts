import { isIP, SocketAddress } from 'node:net';
import type { Address } from './media/session/media-port.js';

const MAPPED = '::ffff:';

/** One spelling per address, so that a packet's source can be compared with the SDP: IPv4 without its IPv6 prefix, IPv6 as RFC 5952. */
export function canonical<T extends Address>(one: T): T {
  const { address, port } = one;
  if (isIP(address) !== 6 || address.includes('%')) return one;
  const plain = new SocketAddress({ address, port, family: 'ipv6' }).address;
  return { ...one, address: withoutPrefix(plain) };
}

/** A socket of both families reports IPv4 sources as `::ffff:192.0.2.1`; Node spells them as RFC 5952 does. */
export const withoutPrefix = (address: string): string =>
  address.startsWith(MAPPED) && isIP(address.slice(MAPPED.length)) === 4 ? address.slice(MAPPED.length) : address;

/** Whether both literals name one address, in whatever spelling; a zone (RFC 4007) says only by which interface. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || (one.includes(':') && other.includes(':') && plainAddress(one) === plainAddress(other));

const plainAddress = (address: string): string => canonical({ address: address.split('%', 1)[0]!, port: 0 }).address;

/**
 * Avoids a turn of the event loop per packet, which the default lookup of a socket takes; media addresses are always literal, and
 * nearly always the last one. A socket of both families accepts IPv4 only with a prefix (RFC 4291 §2.5.5.2).
 */
export function literalLookup(socket: 'udp4' | 'udp6') {
  let [known, resolved, knownFamily] = ['', '', 0];
  return (
    address: string,
    _options: unknown,
    done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
  ): void => {
    if (address !== known) {
      const family = isIP(address);
      if (family === 0) return done(new Error('RTP is sent to literal addresses only.'), address, family);
      const isMapped = family === 4 && socket === 'udp6';
      known = address;
      resolved = isMapped ? MAPPED + address : address;
      knownFamily = isMapped ? 6 : family;
    }
    done(null, resolved, knownFamily);
  };
}
