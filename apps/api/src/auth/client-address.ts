import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Whom a request is from, as far as limits are concerned: the address that TRUST_PROXY lets us believe. */
export const clientAddress = ({ ip }: Request): string => limitedAddress(ip);

/** An address as limits count it: of IPv6 its /64, because that is what one customer of an Internet provider has. */
export function limitedAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
